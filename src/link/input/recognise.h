/* What a file that is neither ELF nor a container is. */
#ifndef WARPLD_LINK_INPUT_RECOGNISE_H
#define WARPLD_LINK_INPUT_RECOGNISE_H

#include <stdbool.h>

#include "base/bytes.h"

/* PTX must state its version before anything else; only spaces, comments and markers of lines may
 * stand before it, of any length. Reads no further than the version. */
bool is_ptx(struct bytes file);

#endif
