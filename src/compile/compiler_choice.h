/* Which compiler is used. */
#ifndef WARPLD_COMPILE_COMPILER_CHOICE_H
#define WARPLD_COMPILE_COMPILER_CHOICE_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"

struct ptx_plugin;

struct compiler_choice {
    const char *program;       /* runs as a process: ptxas or the helper; NULL: `plugin` compiles */
    const char *library;       /* path of the plug-in, or of the library for the helper, or NULL */
    struct ptx_plugin *plugin; /* loaded into this process, or NULL */
    const char *identity;      /* of the file of a loaded plug-in when it was loaded, or NULL */
};

/* Chooses as the settings say. Returns NULL, or an error message if nothing can be used. Strings
 * belong to the arena; the caller closes the plug-in. */
const char *compiler_choose(struct compiler_choice *choice, struct arena *arena,
                            const struct ptx_compiler_settings *settings);

#endif
