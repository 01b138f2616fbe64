/* Reads sections of type 0x70000004 (CUDA_FUNCTION_DATA), which contain records about functions and
 * variables. A record consists of a symbol index, a name, and pairs of words: a kind and a value.
 * No compiler that was tried writes such sections. The layout was found by linking constructed
 * sections with nvlink 13.0.88. */
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

/* Reads the next record and advances *rest. Returns false if *rest is empty or if the record is cut
 * off. A cut-off record leaves *rest unchanged. */
bool function_data_next(struct bytes *rest, struct function_data *record);

/* Returns a pair of the record. Requires: index < record->count. */
struct elf_pair function_data_pair(const struct function_data *record, uint32_t index);

#endif
