/* Loads compilers from shared libraries, with dlopen. */
#ifndef WARPLD_COMPILE_PLUGIN_LOADER_OF_LIBRARIES_H
#define WARPLD_COMPILE_PLUGIN_LOADER_OF_LIBRARIES_H

#include "compile/plugin_loader.h"

const struct ptx_plugin_loader *ptx_plugin_loader(void);

#endif
