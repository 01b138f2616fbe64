/* Applying relocations; see apply.c. */
#ifndef WARPLD_LINK_WRITE_APPLY_H
#define WARPLD_LINK_WRITE_APPLY_H

#include <stdint.h>

#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/write/write.h"

/* Applies the relocations of section, as far as its bytes and the lists of entries that stay are in
 * the window, which has all other contents. */
void apply_relocations(link_context *link, struct output_section *section,
                       const struct file_window *window);

/* The same for the relocations of some objects, by their positions, the last included. */
struct object_range {
    uint32_t first;
    uint32_t last;
};
void apply_relocations_of(link_context *link, struct output_section *section,
                          const struct file_window *window, struct object_range objects);

#endif
