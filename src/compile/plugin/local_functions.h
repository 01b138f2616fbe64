/* The functions that the optimiser made local to its PTX, although they are not static. */
#ifndef WARPLD_COMPILE_PLUGIN_LOCAL_FUNCTIONS_H
#define WARPLD_COMPILE_PLUGIN_LOCAL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

/* A list of such functions; all zero if it is empty. The names are from malloc. */
struct local_functions {
    struct warpld_kept_name *names; /* sorted by name */
    size_t count;
};

/* Adds the local functions of a PTX text, except static ones and kernels. The text ends in a NUL.
 * Sets *has_new to whether any of them was not in the list. Returns false if memory has run out. */
bool local_functions_add(struct local_functions *functions, const char *ptx, bool *has_new);

void local_functions_free(struct local_functions *functions);

#endif
