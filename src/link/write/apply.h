/* Applying relocations; see apply.c. */
#ifndef WARPLD_LINK_WRITE_APPLY_H
#define WARPLD_LINK_WRITE_APPLY_H

#include <stdint.h>

#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/write/write.h"

/* Applies the relocations of the section, and writes its lists of entries. Fields and lists in
 * other windows are skipped. All other contents must be in the window already. */
void apply_relocations(link_context *link, struct output_section *section,
                       const struct file_window *window);

/* Applies the relocations of some objects only, from position `first` to position `last`, both
 * included. */
struct object_range {
    uint32_t first;
    uint32_t last;
};
void apply_relocations_of(link_context *link, struct output_section *section,
                          const struct file_window *window, struct object_range objects);

#endif
