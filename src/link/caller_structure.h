/* Structures of the public interface that belong to the caller, who may have been compiled against
 * an older or a newer header than the library.
 *
 *     size | fields of the first version | fields since then | tail that only the caller knows
 *
 * Each structure begins with its size. An older caller's structure is shorter, and lacks the fields
 * that were added later. A newer caller's structure is longer, and is used if its tail is zero,
 * because the caller then uses no feature that this library lacks. */
#ifndef WARPLD_LINK_CALLER_STRUCTURE_H
#define WARPLD_LINK_CALLER_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

/* An upper bound for the size of these structures. A larger value in a size field means that the
 * caller has not set the field. */
enum { LARGEST_STRUCTURE = 4096 };

/* The size of the version whose last field is `member`, without the padding after it. */
#define END_OF(type, member) (offsetof(type, member) + sizeof((type){0}.member))

/* Returns false for NULL, for a size below `smallest` or above LARGEST_STRUCTURE, and for a tail
 * that is not zero. `smallest` is the size of the structure's first version, `known` is its size in
 * this version. */
bool is_caller_structure(const void *structure, size_t smallest, size_t known);

/* Copies to the caller's structure those fields of `known` that it has. Sets the structure's size
 * to the size of the copied part. The structure must have passed is_caller_structure. Always
 * returns WARPLD_OK, which the calling function can return in turn. */
enum warpld_status fill_caller_structure(void *structure, const void *known, size_t known_size);

#endif
