/* Converts mangled names of C++ and Rust to readable ones, in the spelling of nvlink or of
 * compilers. */
#ifndef WARPLD_READABLE_NAME_READABLE_NAME_H
#define WARPLD_READABLE_NAME_READABLE_NAME_H

#include <stdbool.h>

#include "base/arena.h"

/* The arena and the budget that all names of one run share.
 *
 * A name of 200 characters can expand to a text of any length, so texts are limited. A text has an
 * allowance for each character of its mangled name. Bytes beyond this allowance are charged to the
 * common budget. There is also a limit for the text of one name. A name that exceeds one of these
 * limits is treated as one that nvlink cannot read. */
struct readable_names {
    struct arena *arena;
    size_t spent; /* bytes charged to the budget so far */
};

enum {
    /* Numbers of bytes: the allowance for each character of a mangled name, the limit for one name,
     * and the limit for all bytes beyond the allowances. They limit the time and the memory for a
     * file with very many names. Evidence: 75,000 names of LLVM and clang take 9 bytes per
     * character on average, and a million such names are charged 250 MB. Of 268,000 names, one in a
     * thousand exceeds 64 bytes per character, and none exceeds 84 KB. Some names of CuTe take half
     * a megabyte. Spelling 256 KB takes 3 ms. */
    READABLE_TEXT_FOR_CHARACTER = 8,
    READABLE_TEXT_OF_NAME = 4 << 20,
    READABLE_TEXT_OF_ALL = 384 << 20,
};

/* Returns the readable form of a mangled name of C++, in nvlink's spelling. Any other name is
 * returned unchanged. With as_nvlink, a name that nvlink cannot read is returned unchanged, too.
 * Without as_nvlink, libsupc++ reads such names, and mangled names of Rust are read. */
const char *readable_name(struct readable_names *names, const char *name, bool as_nvlink);

/* Returns the readable form of a name for messages, in the spelling of libsupc++, which people know
 * from their compilers. This spelling shows the arguments of a template: "int f<int>(int)" where
 * nvlink has "T1 f<int>(T1)". The namespaces of static names are left out (static_name.h). */
const char *readable_message_name(struct readable_names *names, const char *name);

#endif
