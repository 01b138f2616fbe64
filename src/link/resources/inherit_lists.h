/* What kernels inherit that depends on the set of functions which they reach: shared by inherit.c,
 * which writes the records, and inherit_lists.c. */
#ifndef WARPLD_LINK_RESOURCES_INHERIT_LISTS_H
#define WARPLD_LINK_RESOURCES_INHERIT_LISTS_H

#include "base/arena.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/model/symbols.h"
#include "link/resources/inherit.h"
#include "link/resources/inherited_needs.h"

/* What an attribute can name; a list that is longer by one ends the link. */
enum { MOST_EXTERNS = UINT16_MAX / 4 };

/* A kernel's list of externs while it is being made. */
struct extern_list {
    GROWING_ARRAY(struct symbol *, symbols);
};

/* A kernel with both kinds of CTA groups, and where the record was read that brought the second. */
struct group_conflict {
    const struct function *kernel;
    uint32_t sequence;
};

struct inheritance {
    link_context *link;
    struct inherited_needs everything; /* of all functions that stay */
    struct extern_list *externs;       /* by function index, of kernels */
    GROWING_ARRAY(struct group_conflict, conflicts);
    struct fragments *fragments;
    struct caching *caching;
    uint32_t *mbarriers;      /* by function index, of kernels */
    struct function **givers; /* functions with something to hand on, in reading order */
    size_t givers_count;
    struct kernel_sets sets;       /* the kernels that reach a giver */
    struct kernel_set only_kernel; /* of a link with one kernel: who takes from all givers */
    GROWING_ARRAY(struct kernel_holders, holders); /* by symbol's extern_number - 1 */
    bool single;                                   /* the link has one kernel */
    bool failed;                                   /* some kernel needs more than it may have */
};

/* The kernel's own record of the kind; NULL when it has none. */
static inline struct output_record *inherited_record(const struct function *kernel,
                                                     enum inherited_kind kind)
{
    return record_at(kernel->info, function_inherited(kernel, kind)->record);
}

/* The list of the only kernel: what was read last stands first (observed in 120 links with up to
 * four functions of the driver in up to five functions, weak and not). */
void inherit_externs_again(struct inheritance *inheritance, struct extern_list *list);

#endif
