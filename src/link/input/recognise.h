/* Recognises files that are neither ELF nor a container. */
#ifndef WARPLD_LINK_INPUT_RECOGNISE_H
#define WARPLD_LINK_INPUT_RECOGNISE_H

#include <stdbool.h>

#include "base/bytes.h"

/* PTX begins with its version; only comments may precede it. */
bool is_ptx(struct bytes file);

#endif
