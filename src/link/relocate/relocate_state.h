/* The decisions of scan, which the writer uses. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATE_STATE_H
#define WARPLD_LINK_RELOCATE_RELOCATE_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct relocate_state {
    uint8_t *actions;    /* action and flags of each relocation (ENTRY_*), indexed through chunks */
    bool precedes_volta; /* result of inputs_precede_volta; pass_scan sets it first */
};

#endif
