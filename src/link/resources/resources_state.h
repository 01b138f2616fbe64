/* The state that the passes over the resources of kernels share. */
#ifndef WARPLD_LINK_RESOURCES_RESOURCES_STATE_H
#define WARPLD_LINK_RESOURCES_RESOURCES_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct resources_state {
    const uint64_t *stack_needs;  /* by component of the call graph, see stack_notes.h */
    uint32_t errors_before_needs; /* number of errors before needs are compared with limits */
    uint32_t limits_explained;    /* number of exceeded limits that notes have explained */
    uint32_t cycles_explained;    /* number of kernels whose recursion notes have explained */
    uint32_t banks_present;       /* bits by bank number, see kernel_usage.c; 0: not yet known */
    bool knows_local;             /* has_local has been computed */
    bool has_local;               /* the output has a section of static local memory */
};

#endif
