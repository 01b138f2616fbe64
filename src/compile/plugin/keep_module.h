/* The module that keeps names visible in link-time optimisation. */
#ifndef WARPLD_COMPILE_PLUGIN_KEEP_MODULE_H
#define WARPLD_COMPILE_PLUGIN_KEEP_MODULE_H

#include <stddef.h>

#include "warpld.h"

/* Returns NVVM IR as text, ended by a NUL: declarations of the names, listed in llvm.used. The text
 * is from malloc; NULL if memory has run out. */
char *keep_module_write(const struct warpld_kept_name *names, size_t count);

#endif
