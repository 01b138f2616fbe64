/* What the passes over the needs of kernels tell each other. */
#ifndef WARPLD_LINK_RESOURCES_RESOURCES_STATE_H
#define WARPLD_LINK_RESOURCES_RESOURCES_STATE_H

#include <stdint.h>

struct resources_state {
    const uint64_t *stack_needs;  /* by component of the call graph, see stack_notes.h */
    uint32_t errors_before_needs; /* found before kernels' needs are compared with limits */
    uint32_t limits_explained;    /* broken limits with notes on what breaks them */
    uint32_t cycles_explained;    /* kernels with notes on their recursion */
};

#endif
