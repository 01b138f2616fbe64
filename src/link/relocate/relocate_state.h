/* The decisions of scan, which the writer uses. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATE_STATE_H
#define WARPLD_LINK_RELOCATE_RELOCATE_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct relocate_state {
    uint8_t *actions;    /* by relocation: enum relocation_action, and flags */
    bool precedes_volta; /* result of inputs_precede_volta; valid from scan on */
};

#endif
