/* What a file that is neither ELF nor a container is. */
#ifndef WARPLD_LINK_INPUT_RECOGNISE_H
#define WARPLD_LINK_INPUT_RECOGNISE_H

#include <stdbool.h>

#include "base/bytes.h"

/* PTX must state its version before anything else; only comments may stand before it. */
bool is_ptx(struct bytes file);

#endif
