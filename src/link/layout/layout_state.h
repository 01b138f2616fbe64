/* The state of the layout passes. Passes of later folders read some of it. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_STATE_H
#define WARPLD_LINK_LAYOUT_LAYOUT_STATE_H

#include <stdbool.h>

#include "format/unified_index.h"
#include "link/model/kernel_set.h"

struct layout_state {
    struct kernel_sets shared_users; /* of the functions that use variables of .nv_debug.shared */
    bool has_unused_constants;       /* constants that nothing refers to are removed */
    bool has_relocated_blocks;       /* see are_relocated in layout_constant.c */
};

#endif
