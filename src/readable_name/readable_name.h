/* Converts mangled names of C++ and Rust to readable ones, as nvlink shows them or as compilers
 * do. */
#ifndef WARPLD_READABLE_NAME_READABLE_NAME_H
#define WARPLD_READABLE_NAME_READABLE_NAME_H

#include <stdbool.h>

#include "base/arena.h"

/* What all names of one run share: the arena and a budget.
 *
 * A name of 200 characters can expand to a text of any length, so texts are limited. A text has an
 * allowance for each character of its mangled name. What it takes beyond this allowance is charged
 * to the common budget. There is also a limit for the text of one name. A name that exceeds one of
 * these limits is treated as one that nvlink cannot read. */
struct readable_names {
    struct arena *arena;
    size_t spent; /* bytes charged to the budget so far */
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

/* Returns the readable form of a mangled name of C++, in nvlink's spelling. Any other name is
 * returned unchanged. If nvlink cannot read a name, it is returned unchanged with as_nvlink, and
 * otherwise read by libsupc++. Without as_nvlink, mangled names of Rust are read, too. */
const char *readable_name(struct readable_names *names, const char *name, bool as_nvlink);

/* Returns the readable form of a name for messages. It is spelled as by libsupc++, which people
 * know from their compilers. That spelling shows an instance of a template with its arguments: "int
 * f<int>(int)" instead of nvlink's "T1 f<int>(T1)". The namespaces of static names are left out
 * (static_name.h). */
const char *readable_message_name(struct readable_names *names, const char *name);

#endif
