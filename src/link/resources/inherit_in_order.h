/* Values that kernels inherit record by record, so that the order of the records matters. */
#ifndef WARPLD_LINK_RESOURCES_INHERIT_IN_ORDER_H
#define WARPLD_LINK_RESOURCES_INHERIT_IN_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "link/merge/merge_state.h"
#include "link/model/link_context.h"

/* Returns the new value of a kernel that inherits `value`. */
typedef uint32_t inherit_step(uint32_t own, uint32_t value);

/* The values of one kind. */
struct values_in_order {
    link_context *link;
    const struct inherited_value *records; /* in reading order */
    size_t count;
    inherit_step *step;
    uint32_t *values; /* by function index, of kernels */
};

/* Sets the value of each kernel to that of the kernel's last record. */
void values_start(struct values_in_order *order, enum inherited_kind kind);

/* Passes the value of each record on to the kernels that reach the record's function. */
void values_inherit(struct values_in_order *order);

#endif
