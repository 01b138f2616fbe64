/* C++ names as nvlink shows them. */
#ifndef WARPLD_READABLE_NAME_READABLE_NAME_H
#define WARPLD_READABLE_NAME_READABLE_NAME_H

#include <stdbool.h>

#include "base/arena.h"

/* The names of one run, with their common budget. A name of 200 characters can expand to a text of
 * any length. So the text of one name is limited, and so is the sum of all texts beyond an
 * allowance for each character. A name that exceeds the budget is treated as one that nvlink cannot
 * read. */
struct readable_names {
    struct arena *arena;
    size_t spent; /* bytes of text beyond the allowance */
};

enum {
    /* In bytes: the allowance for each character of a mangled name, the limit for one name, and the
     * limit for what all names take beyond their allowances. One in a thousand of 268,000 names of
     * libstdc++, LLVM and clang exceeds 64 bytes per character, and none exceeds 84 KB; some names
     * of CuTe take half a megabyte. Spelling 256 KB takes 3 ms. */
    READABLE_TEXT_FOR_CHARACTER = 64,
    READABLE_TEXT_OF_NAME = 4 << 20,
    READABLE_TEXT_OF_ALL = 128 << 20,
};

/* The readable form of a mangled name; any other name is returned unchanged. A name that nvlink
 * cannot read is returned unchanged if as_nvlink is set, otherwise libsupc++ reads it. Mangled
 * names of Rust are read, too, unless as_nvlink is set. */
const char *readable_name(struct readable_names *names, const char *name, bool as_nvlink);

/* The same for messages, in the spelling of libsupc++, which people know from their compilers. It
 * spells an instance of a template with its arguments: "int f<int>(int)" instead of nvlink's "T1
 * f<int>(T1)". The namespaces of static names are left out. */
const char *readable_message_name(struct readable_names *names, const char *name);

#endif
