/* Loads compilers from shared libraries, with dlopen. */
#ifndef WARPLD_COMPILE_PLUGIN_LOADER_H
#define WARPLD_COMPILE_PLUGIN_LOADER_H

#include "compile/ptx_plugin.h"

const struct ptx_plugin_loader *ptx_plugin_loader(void);

#endif
