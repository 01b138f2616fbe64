/* Chooses the program or the library that compiles PTX. A plug-in is a library that contains a
 * compiler (ptx_plugin.h). */
#ifndef WARPLD_COMPILE_COMPILER_CHOICE_H
#define WARPLD_COMPILE_COMPILER_CHOICE_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"

struct ptx_plugin;

struct compiler_choice {
    /* Program to run: ptxas, or the helper, which loads `library`. NULL if `plugin` compiles. */
    const char *program;
    const char *library;       /* path of the plug-in; NULL if ptxas is run */
    struct ptx_plugin *plugin; /* the plug-in, if it is loaded into this process; else NULL */
    /* What compiler_identity returned when `plugin` was loaded; NULL without `plugin`. */
    const char *identity;
};

/* Chooses as the settings say. Returns NULL, or an error message if no compiler can be used.
 * Strings belong to the arena; the caller closes the plug-in. */
const char *compiler_choose(struct compiler_choice *choice, struct arena *arena,
                            const struct ptx_compiler_settings *settings);

#endif
