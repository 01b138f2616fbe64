/* The results of the layout passes that other passes read. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_STATE_H
#define WARPLD_LINK_LAYOUT_LAYOUT_STATE_H

#include <stdbool.h>

#include "format/unified_index.h"
#include "link/model/kernel_set.h"

struct layout_state {
    struct kernel_sets shared_users; /* for each function that uses a variable of .nv_debug.shared:
                                        the kernels that reach the function */
    bool has_unused_constants; /* constants whose symbols are not marked as referred to must be
                                  removed */
    bool has_relocated_blocks; /* some block of compiler-made constants has a jump table in Mercury
                                  form: see are_relocated in layout_constant.c */
};

#endif
