/* Which compiler is used. */
#ifndef WARPLD_COMPILE_COMPILER_CHOICE_H
#define WARPLD_COMPILE_COMPILER_CHOICE_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"

struct ptx_plugin;

struct compiler_choice {
    const char *program;       /* that runs as a process; NULL: a plug-in is loaded */
    const char *library;       /* path of a plug-in; loaded by the program if that is set */
    struct ptx_plugin *plugin; /* loaded */
    const char *identity;      /* of the file of a loaded plug-in when it was loaded, or NULL */
};

/* Chooses as the settings say. Returns NULL, or an error message if nothing can be used. Strings
 * belong to the arena; the caller closes the plug-in. */
const char *compiler_choose(struct compiler_choice *choice, struct arena *arena,
                            const struct ptx_compiler_settings *settings);

#endif
