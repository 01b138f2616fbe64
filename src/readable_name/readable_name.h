/* C++ names as nvlink shows them. */
#ifndef WARPLD_READABLE_NAME_READABLE_NAME_H
#define WARPLD_READABLE_NAME_READABLE_NAME_H

#include <stdbool.h>

#include "base/arena.h"

/* The names of one run. A name of 200 characters can have pieces of any length: what one may take
 * is bounded, and so is what all may take beyond an amount for each of their characters. A name
 * that is too dear counts as one that nvlink cannot read. */
struct readable_names {
    struct arena *arena;
    size_t spent; /* beyond that amount, in bytes of text */
};

enum {
    /* Of 268,000 names of libstdc++, LLVM and clang one in a thousand takes more for a character,
     * and none more than 84 KB; of CuTe some take half a megabyte. 256 KB take 3 ms. */
    READABLE_TEXT_FOR_CHARACTER = 64,
    READABLE_TEXT_OF_NAME = 4 << 20,
    READABLE_TEXT_OF_ALL = 128 << 20,
};

/* The readable form of a mangled name; any other is returned as it is, and as nvlink so are those
 * that nvlink cannot read (others are shown as libsupc++ does). */
const char *readable_name(struct readable_names *names, const char *name, bool as_nvlink);

#endif
