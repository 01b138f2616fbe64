/* Recognises files that are neither ELF nor a container. */
#ifndef WARPLD_LINK_RECOGNISE_RECOGNISE_H
#define WARPLD_LINK_RECOGNISE_RECOGNISE_H

#include <stdbool.h>

#include "base/bytes.h"

/* PTX begins with its version; only spaces, comments and line markers, of any length, may precede
 * it. Reads no further than the version. */
bool is_ptx(struct bytes file);

#endif
