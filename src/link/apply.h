/* Applying relocations; see apply.c. */
#ifndef WARPLD_LINK_APPLY_H
#define WARPLD_LINK_APPLY_H

#include <stdint.h>

#include "link/link.h"

/* section is of CONTENT_RELOCATIONS; file is the output, with all other contents copied. Sections
 * that keep no entry are applied too. */
void apply_relocations(link_context *link, struct output_section *section, uint8_t *file);

#endif
