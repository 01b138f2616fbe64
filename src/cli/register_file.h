/* The file of --register-link-binaries. */
#ifndef WARPLD_CLI_REGISTER_FILE_H
#define WARPLD_CLI_REGISTER_FILE_H

#include "base/arena.h"
#include "warpld.h"

/* Writes the names of the routines that register each linked object, which nvcc compiles into the
 * program. A file that already names the device runtime is kept. Returns 0 or an errno value. */
int register_file_write(struct arena *arena, const struct warpld_link *link, const char *path);

#endif
