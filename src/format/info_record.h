/* Records of .nv.info sections.
 *
 * A record begins with a format byte, a byte with the attribute's code, and a 16-bit number. In
 * formats 1 to 3 these four bytes are the whole record. In format 4 the 16-bit number is the length
 * of the payload, which follows without padding. All objects of ptxas 13.0.88 have this form. */
#ifndef WARPLD_FORMAT_INFO_RECORD_H
#define WARPLD_FORMAT_INFO_RECORD_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum info_format {
    INFO_FORMAT_NOT_KNOWN = 0, /* only in info_attribute.def; no record has it */
    INFO_FORMAT_NONE = 1,
    INFO_FORMAT_BYTE = 2,
    INFO_FORMAT_HALF = 3,
    INFO_FORMAT_SIZED = 4,
};

enum info_code {
#define ATTRIBUTE(code, name, format, symbols, payload, merge, propagation, toolkit)               \
    EIATTR_##name = code,
#include "format/info_attribute.def"
#undef ATTRIBUTE
    INFO_CODE_COUNT,
};

/* This enum and the next three have the values of the columns symbols, payload, merge and
 * propagation of info_attribute.def, which explains them. */
enum info_symbols { INFO_SYMBOLS_NO, INFO_SYMBOLS_FIRST, INFO_SYMBOLS_EVERY };

enum info_payload {
    INFO_PAYLOAD_WORDS,
    INFO_PAYLOAD_OFFSETS,
    INFO_PAYLOAD_SYMBOLS,
    INFO_PAYLOAD_SYMBOL_WORDS,
    INFO_PAYLOAD_SYMBOL_BANK,
    INFO_PAYLOAD_PARAMETER,
};

enum info_merge {
    INFO_MERGE_COPY,
    INFO_MERGE_DROP,
    INFO_MERGE_WITH_SYMBOL,
    INFO_MERGE_ACCEPTED,
    INFO_MERGE_PRESENT,
    INFO_MERGE_FILTER,
    INFO_MERGE_CACHING,
    INFO_MERGE_ENTRY_ONLY,
};

enum info_propagation {
    INFO_PROPAGATION_NOTHING,
    INFO_PROPAGATION_MAXIMUM,
    INFO_PROPAGATION_UNION,
    INFO_PROPAGATION_SUM,
    INFO_PROPAGATION_BITS,
    INFO_PROPAGATION_STACK_SUM,
    INFO_PROPAGATION_CALL_STACK,
    INFO_PROPAGATION_FLAG,
};

struct info_attribute {
    const char *name; /* "REGCOUNT" */
    uint8_t code;
    uint8_t format;      /* enum info_format */
    uint8_t symbols;     /* enum info_symbols */
    uint8_t payload;     /* enum info_payload */
    uint8_t merge;       /* enum info_merge */
    uint8_t propagation; /* enum info_propagation */
    uint16_t toolkit;    /* first toolkit version that knows the attribute; 0 if unknown */
    uint8_t least;       /* minimum size of the payload in bytes; shorter payloads are refused */
    bool is_bound;       /* true if records must have the format `format` */
};

extern const struct info_attribute INFO_ATTRIBUTES[INFO_CODE_COUNT]; /* indexed by code */

/* Returns the attribute with the given code; NULL for codes above 109, which are unknown. */
static inline const struct info_attribute *info_attribute_find(unsigned code)
{
    return code < INFO_CODE_COUNT ? &INFO_ATTRIBUTES[code] : NULL;
}

struct info_record {
    const uint8_t *payload; /* `value` bytes in format SIZED; NULL in other formats */
    uint8_t format;         /* format, code and value have the same layout as in the file */
    uint8_t code;
    uint16_t value; /* the value in formats BYTE and HALF; the payload's length in format SIZED */
};

/* Reads the next record and advances *rest. Returns false at the end, or if the record is cut off.
 * A cut-off record leaves *rest unchanged. */
static inline bool info_record_next(struct bytes *rest, struct info_record *record)
{
    if (rest->size < 4)
        return false;
    uint32_t head = load_u32(rest->data);
    record->format = (uint8_t)head;
    record->code = (uint8_t)(head >> 8);
    record->value = (uint16_t)(head >> 16);
    record->payload = NULL;
    uint64_t size = 4;
    if (record->format == INFO_FORMAT_SIZED) {
        if (record->value > rest->size - 4)
            return false;
        record->payload = rest->data + 4;
        size += record->value;
    }
    rest->data += size;
    rest->size -= size;
    return true;
}

/* Returns the payload of a record; empty if the record has none. */
static inline struct bytes info_record_payload(const struct info_record *record)
{
    return (struct bytes){record->payload, record->payload ? record->value : 0};
}

/* Returns word i of the payload. Requires: the payload contains the word. */
static inline uint32_t info_record_word(const struct info_record *record, size_t i)
{
    assert(record->payload); /* only records of format SIZED have one */
    return load_u32(record->payload + 4 * i);
}

#endif
