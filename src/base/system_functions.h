/* Functions that the driver provides. */
#ifndef WARPLD_BASE_SYSTEM_FUNCTIONS_H
#define WARPLD_BASE_SYSTEM_FUNCTIONS_H

#include <stdbool.h>

/* Returns true for names of system functions: the driver defines them, so they may remain
 * undefined. */
bool system_function(const char *name);

#endif
