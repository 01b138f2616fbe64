/* The state of the layout passes. Later passes, in other folders, read some of it. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_STATE_H
#define WARPLD_LINK_LAYOUT_LAYOUT_STATE_H

#include <stdbool.h>

#include "format/unified_index.h"
#include "link/model/kernel_set.h"

struct layout_state {
    struct kernel_sets shared_users; /* the kernels that reach each user of .nv_debug.shared */
    bool has_unused_constants;       /* constants that are not marked as referred to are removed */
    bool has_relocated_blocks; /* some block of compiler-made constants has a jump table in Mercury
                                  form, see are_relocated in layout_constant.c */
};

#endif
