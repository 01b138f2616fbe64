/* The decisions of scan, which the writer uses. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATE_STATE_H
#define WARPLD_LINK_RELOCATE_RELOCATE_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct relocate_state {
    uint8_t *actions; /* action and flags (ENTRY_*) of entry i of a chunk, at chunk->offset + i */
    bool precedes_volta; /* result of inputs_precede_volta; pass_scan sets it first */
};

#endif
