/* What scan decides, for the writer. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATE_STATE_H
#define WARPLD_LINK_RELOCATE_RELOCATE_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct relocate_state {
    uint8_t *actions;    /* enum relocation_action and flags of each relocation */
    bool precedes_volta; /* see inputs_precede_volta; valid from scan on */
};

#endif
