/* Data about functions and variables, sections of type 0x70000004: a record names a symbol, has a
 * name, and pairs of a kind and a value. No compiler that was tried writes them; the layout is what
 * nvlink 13.0.88 makes of made ones. */
#ifndef WARPLD_FORMAT_FUNCTION_DATA_H
#define WARPLD_FORMAT_FUNCTION_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/elf_view.h"

enum {
    FUNCTION_DATA_HEADER = 12,
    FUNCTION_DATA_TEXT = 3, /* kind of a value that is an offset of a string, like the name */
};

struct function_data {
    uint32_t symbol;
    uint32_t name; /* offset in the strings of the symbol table */
    uint32_t count;
    const uint8_t *pairs; /* 8 bytes each */
};

/* Takes the next record off the front of the bytes; false at the end, or when it is cut off (then
 * something is left of the bytes). */
bool function_data_next(struct bytes *rest, struct function_data *record);

/* index < record->count */
struct elf_pair function_data_pair(const struct function_data *record, uint32_t index);

#endif
