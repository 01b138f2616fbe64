/* The names that link-time optimisation must keep visible for the inputs without LTO-IR. */
#ifndef WARPLD_LINK_LTO_KEPT_NAMES_H
#define WARPLD_LINK_LTO_KEPT_NAMES_H

#include "base/arena.h"
#include "base/name_table.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct input_object;

struct kept_names {
    GROWING_ARRAY(struct warpld_kept_name, names);
    /* Names of variables that the objects refer to but do not define. */
    GROWING_ARRAY(const char *, variables);
};

/* Collects the names from the objects of the link, in the order of the objects. Must run before the
 * object that is made from the LTO-IR is added to the link. */
void kept_names_collect(link_context *link, struct kept_names *kept);

/* Lists the functions and the weak variables that `object`, which is made from the LTO-IR, defines.
 * Leaves out kernels, local symbols, system functions, and functions that a compiler adds. */
void kept_names_of(link_context *link, struct kept_names *kept, const struct input_object *object);

#endif
