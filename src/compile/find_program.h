/* Where the compilers are installed. */
#ifndef WARPLD_COMPILE_FIND_PROGRAM_H
#define WARPLD_COMPILE_FIND_PROGRAM_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"

/* Searches paths in order, and records those tried, for the message if none can be used. */
struct program_search {
    struct arena *arena;
    const char *found; /* NULL: none so far; otherwise an absolute path */
    GROWING_ARRAY(const char *, tried);

    /* Returns why an existing library cannot be used, or NULL if it can be. The pointer is NULL if
     * programs are searched for. */
    const char *(*problem_of)(void *context, const char *path);
    void *context;
};

/* Finds ptxas: the program that the settings name, or else the first one in the folders that they
 * name. */
void find_ptxas(struct program_search *search, const struct ptx_compiler_settings *settings);

/* Finds another program of a toolkit, in the same folders. */
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
