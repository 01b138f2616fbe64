/* Loads of texture slots by index, in native code that has a Mercury form. */
#ifndef WARPLD_LINK_RELOCATE_TEXTURE_LOADS_H
#define WARPLD_LINK_RELOCATE_TEXTURE_LOADS_H

#include "link/model/link_context.h"
#include "link/model/output.h"

/* True for a native relocation type whose value is relative to the first slot, because the load
 * adds the offset of that slot. The values of other types are offsets in the bank. */
bool texture_type_is_index(uint32_t type);

/* Writes the offset of the first slot into the loads of a native code section; bytes: those of the
 * section in the output, NULL if they are in another window. */
void texture_loads_apply(link_context *link, const struct output_section *section, uint8_t *bytes);

#endif
