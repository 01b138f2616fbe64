/* Completes native code that loads a texture slot by an index, on targets with Mercury code. */
#ifndef WARPLD_LINK_RELOCATE_TEXTURE_LOADS_H
#define WARPLD_LINK_RELOCATE_TEXTURE_LOADS_H

#include "link/model/link_context.h"
#include "link/model/output.h"

/* True for the native relocation type whose value is the distance in bytes of a slot from the first
 * slot. The load that uses this value adds the offset of the first slot. The values of all other
 * types are offsets in the bank. */
bool texture_type_is_index(uint32_t type);

/* Writes the offset of the first slot into the loads of a native code section. `bytes` are those of
 * the section in the output; NULL if they are in another window. */
void texture_loads_apply(link_context *link, const struct output_section *section, uint8_t *bytes);

#endif
