/* Structures that belong to the caller; see caller_structure.h. */
#include "link/caller_structure.h"

#include <stdint.h>
#include <string.h>

static bool has_zero_tail(const void *structure, size_t size, size_t known)
{
    const uint8_t *bytes = structure;
    for (size_t i = known; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

bool is_caller_structure(const void *structure, size_t smallest, size_t known)
{
    if (!structure)
        return false;
    size_t size = *(const size_t *)structure;
    return size >= smallest && size <= LARGEST_STRUCTURE && has_zero_tail(structure, size, known);
}

enum warpld_status fill_caller_structure(void *structure, const void *known, size_t known_size)
{
    size_t *size = structure;
    size_t filled = *size < known_size ? *size : known_size;
    memcpy(structure, known, filled);
    *size = filled;
    return WARPLD_OK;
}
