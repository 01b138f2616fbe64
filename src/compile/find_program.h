/* Finds the compilers of the installed toolkits. */
#ifndef WARPLD_COMPILE_FIND_PROGRAM_H
#define WARPLD_COMPILE_FIND_PROGRAM_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"

/* A search that tries one path after the other. It records the paths that it tried. If no path can
 * be used, the error message lists them. */
struct program_search {
    struct arena *arena;
    const char *found; /* absolute path of the file that was found; NULL if none so far */
    GROWING_ARRAY(const char *, tried);

    /* Returns why an existing library cannot be used, or NULL if it can be used. The pointer itself
     * is NULL in a search for programs. */
    const char *(*problem_of)(void *context, const char *path);
    void *context;
};

/* Finds ptxas: the program that the settings name. If they name none, the first ptxas in the
 * folders of the settings. */
void find_ptxas(struct program_search *search, const struct ptx_compiler_settings *settings);

/* Finds another program of a toolkit, in the folders where find_ptxas searches. */
void find_toolkit_program(struct program_search *search,
                          const struct ptx_compiler_settings *settings, const char *name);

/* find_own_program searches the folder of this program only. find_library searches that folder, the
 * folder lib beside it, the folders of the settings for libraries, and the toolkits. */
void find_own_program(struct program_search *search, const struct ptx_compiler_settings *settings,
                      const char *name);
void find_library(struct program_search *search, const struct ptx_compiler_settings *settings,
                  const char *name);

/* Tries one path. */
void find_at(struct program_search *search, const char *path);

/* The files that were tried, separated by commas. */
const char *program_search_tried(const struct program_search *search);

#endif
