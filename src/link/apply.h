/* Applying relocations; see apply.c. */
#ifndef WARPLD_LINK_APPLY_H
#define WARPLD_LINK_APPLY_H

#include <stdint.h>

#include "link/link.h"

/* Applies the relocations of section, whether or not any entry stays; file is the output, with all
 * other contents copied. */
void apply_relocations(link_context *link, struct output_section *section, uint8_t *file);

#endif
