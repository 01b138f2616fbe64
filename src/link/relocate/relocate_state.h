/* What scan decides for the writer. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATE_STATE_H
#define WARPLD_LINK_RELOCATE_RELOCATE_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct relocate_state {
    uint8_t *actions;    /* what becomes of each relocation; see apply.c */
    bool precedes_volta; /* see inputs_precede_volta; from scan on */
};

#endif
