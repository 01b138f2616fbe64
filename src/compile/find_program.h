/* Where the compilers of a toolkit are installed. */
#ifndef WARPLD_COMPILE_FIND_PROGRAM_H
#define WARPLD_COMPILE_FIND_PROGRAM_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"

/* Files that were tried, for the message if none can be used. */
struct program_search {
    struct arena *arena;
    const char *found; /* NULL: none so far */
    GROWING_ARRAY(const char *, tried);
};

/* Finds ptxas: the program of the settings, or the first in the folders of the settings. Sets
 * search->found to an absolute path. */
void find_ptxas(struct program_search *search, const struct ptx_compiler_settings *settings);

/* The files that were tried, separated by commas. */
const char *program_search_tried(const struct program_search *search);

#endif
