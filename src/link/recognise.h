/* What a file that is no device ELF is. */
#ifndef WARPLD_LINK_RECOGNISE_H
#define WARPLD_LINK_RECOGNISE_H

#include "base/bytes.h"

/* "a fat binary", "PTX text", ... for files that hold device code, or may, in a form that cannot be
 * linked yet; NULL for all others. Reads nothing outside the file. */
const char *container_of_device_code(struct bytes file);

#endif
