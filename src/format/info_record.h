/* Records of .nv.info sections.
 *
 * A record consists of a format byte, an attribute code and 16 bits. In format 4 these 16 bits are
 * the length of an unpadded payload, which follows. Records of formats 1 to 3 have four bytes
 * (observed in every object of ptxas 13.0.88). */
#ifndef WARPLD_FORMAT_INFO_RECORD_H
#define WARPLD_FORMAT_INFO_RECORD_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum info_format {
    INFO_FORMAT_NOT_KNOWN = 0, /* only in the attribute table */
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

/* The values of four columns of info_attribute.def, which explains them: this enum and the next
 * three. */
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
    uint8_t least;       /* minimum size of the payload, in bytes; a check has ensured it */
    bool is_bound;       /* true if records of another format than `format` are refused */
};

extern const struct info_attribute INFO_ATTRIBUTES[INFO_CODE_COUNT]; /* by code */

/* The attribute with a code; NULL for codes above 109. */
static inline const struct info_attribute *info_attribute_find(unsigned code)
{
    return code < INFO_CODE_COUNT ? &INFO_ATTRIBUTES[code] : NULL;
}

struct info_record {
    const uint8_t *payload; /* `value` bytes for format SIZED, else NULL */
    uint8_t format; /* format, code and value are in the file's order, for copying all at once */
    uint8_t code;
    uint16_t value; /* the value in formats BYTE and HALF; the payload's length in format SIZED */
};

/* Reads the next record and advances *rest; returns false at the end. The bytes must be the
 * contents of an info section of an opened view, or the rest of them. */
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

/* The payload of a record; empty if it has none. */
static inline struct bytes info_record_payload(const struct info_record *record)
{
    return (struct bytes){record->payload, record->payload ? record->value : 0};
}

/* Word i of the payload; the caller has checked the length. */
static inline uint32_t info_record_word(const struct info_record *record, size_t i)
{
    assert(record->payload); /* its format is SIZED */
    return load_u32(record->payload + 4 * i);
}

#endif
