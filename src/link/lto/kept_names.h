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
    GROWING_ARRAY(const char *, variables); /* that the objects refer to and do not define */
};

/* Collects the names from the objects of the link, in their order. Requires: no object was made
 * from LTO-IR. */
void kept_names_collect(link_context *link, struct kept_names *kept);

/* Lists all functions and weak variables that the object made from the LTO-IR defines. */
void kept_names_of(link_context *link, struct kept_names *kept, const struct input_object *object);

#endif
