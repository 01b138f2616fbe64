/* Attribute sections of the output: the inputs' records in reverse, then the linker's own. */
#ifndef WARPLD_LINK_RECORDS_H
#define WARPLD_LINK_RECORDS_H

#include "link/link.h"

uint64_t records_size(const struct output_section *section);

/* Writes all records; needs the symbol indices. Returns the end. */
uint8_t *records_write(const struct output_section *section, uint8_t *place);

#endif
