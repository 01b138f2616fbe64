/* Reads data about functions and variables, in sections of type 0x70000004. A record consists of a
 * symbol, a name, and pairs of a kind and a value. No compiler that was tried writes such sections.
 * The layout was found by linking constructed sections with nvlink 13.0.88. */
#ifndef WARPLD_FORMAT_FUNCTION_DATA_H
#define WARPLD_FORMAT_FUNCTION_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/elf_view.h"

enum {
    FUNCTION_DATA_HEADER = 12,
    FUNCTION_DATA_TEXT = 3, /* kind of a pair whose value is a string's offset */
};

struct function_data {
    uint32_t symbol;
    uint32_t name; /* offset in the strings of the symbol table */
    uint32_t count;
    const uint8_t *pairs; /* `count` pairs of 8 bytes */
};

/* Reads the next record and advances *rest. Returns false at the end, or if the record is cut off
 * (then *rest is not empty). */
bool function_data_next(struct bytes *rest, struct function_data *record);

/* index < record->count */
struct elf_pair function_data_pair(const struct function_data *record, uint32_t index);

#endif
