/* Finds the folder in which this program is installed. */
#ifndef WARPLD_CLI_COMPILE_OWN_FOLDER_H
#define WARPLD_CLI_COMPILE_OWN_FOLDER_H

#include "base/arena.h"

/* The folder of this program, without a slash at its end; NULL if it is unknown. */
const char *own_folder(struct arena *arena);

#endif
