/* The state that the passes over the resources of kernels share. */
#ifndef WARPLD_LINK_RESOURCES_RESOURCES_STATE_H
#define WARPLD_LINK_RESOURCES_RESOURCES_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct resources_state {
    const uint64_t *stack_needs;  /* by component of the call graph: the stack; see stack_notes.h */
    uint32_t errors_before_needs; /* number of errors before pass_stack_limits */
    uint32_t limits_explained;    /* number of calls of limit_may_be_explained */
    uint32_t cycles_explained;    /* number of calls of stack_explain_cycle */
    uint32_t banks_present; /* a bit for each bank of the output; 0 until link_has_bank sets it */
    bool knows_local;       /* has_local has been computed */
    bool has_local;         /* the output has a section of static local memory */
};

#endif
