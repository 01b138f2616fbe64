/* Structures of the public interface that belong to the caller, who may have been compiled against
 * an older or a newer header than the library.
 *
 *     size | fields of the first version | fields since then | tail that only the caller knows
 *
 * Each begins with its size. A shorter one lacks fields that were added later; a longer one is used
 * if its tail is zero, because its caller then uses no feature that this library lacks. */
#ifndef WARPLD_LINK_CALLER_STRUCTURE_H
#define WARPLD_LINK_CALLER_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

/* No structure is larger: a larger size means that the caller has not set the field. */
enum { LARGEST_STRUCTURE = 4096 };

/* The size of the version whose last field is `member`, without the padding after it. */
#define END_OF(type, member) (offsetof(type, member) + sizeof((type){0}.member))

/* Returns false for NULL, for a size below `smallest`, the size of the first version, or above
 * LARGEST_STRUCTURE, and for a tail that is not zero. `known` is the size of this version. */
bool is_caller_structure(const void *structure, size_t smallest, size_t known);

/* Copies the fields of `known` that both sides know, and sets the size to that of the copied part.
 * The structure must have passed is_caller_structure. Always returns WARPLD_OK, which the caller
 * can return in turn. */
enum warpld_status fill_caller_structure(void *structure, const void *known, size_t known_size);

#endif
