/* Structures of the public interface that belong to the caller, who may have been compiled against
 * an older or a newer header than the library.
 *
 *     size | fields of the first version | fields since then | tail that only the caller knows
 *
 * Each begins with its size. A shorter one lacks fields that were added later; a longer one is used
 * if its tail is zero, because its caller then asks for nothing that this library does not know. */
#ifndef WARPLD_LINK_CALLER_STRUCTURE_H
#define WARPLD_LINK_CALLER_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

/* Larger sizes belong to no structure: the caller has not set the field. */
enum { LARGEST_STRUCTURE = 4096 };

/* The size of the version whose last field is `member`, without the padding behind it. */
#define END_OF(type, member) (offsetof(type, member) + sizeof((type){0}.member))

/* False for NULL, for a size that no version has, and for a tail that is not zero. `smallest` is
 * the size of the first version and `known` the one of this version. */
bool is_caller_structure(const void *structure, size_t smallest, size_t known);

/* Copies `known` as far as both sides know it and sets the size to what was copied. The structure
 * must be one by is_caller_structure. Returns WARPLD_OK, for callers to return. */
enum warpld_status fill_caller_structure(void *structure, const void *known, size_t known_size);

#endif
