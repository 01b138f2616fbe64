/* The routines that register linked objects, and the file of --register-link-binaries. */
#ifndef WARPLD_CLI_DEVICE_LINK_REGISTER_FILE_H
#define WARPLD_CLI_DEVICE_LINK_REGISTER_FILE_H

#include "base/arena.h"
#include "warpld.h"

/* This text is part of the name of the routine that registers the device runtime. */
#define REGISTER_NAME_OF_RUNTIME "_cuda_device_runtime_"

/* Returns the last part of the name of the routine that registers an object. This part is the
 * object's module id or, if it has none, a name that is made from its path. */
const char *register_name(struct arena *arena, const struct warpld_linked_object *object);

/* Writes the names of the routines that register the linked objects to the file at `path`. nvcc
 * compiles this file into the program. A file that already names the device runtime is not changed,
 * because an earlier link of the same program wrote it. Returns 0 or an errno value. */
int register_file_write(struct arena *arena, const struct warpld_link *link, const char *path);

#endif
