/* Functions that the driver provides. */
#ifndef WARPLD_BASE_SYSTEM_FUNCTIONS_H
#define WARPLD_BASE_SYSTEM_FUNCTIONS_H

#include <stdbool.h>

/* Returns true for functions of the driver, which may remain undefined. */
bool system_function(const char *name);

#endif
