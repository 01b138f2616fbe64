/* Inherited attributes that depend on the set of functions which a kernel reaches. inherit_lists.c
 * builds the lists, and inherit.c writes the records; both use this header. */
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

/* How many symbols a record can name; a longer list is an error. */
enum { MOST_EXTERNS = UINT16_MAX / 4 };

/* A kernel's list of externs, while it grows. */
struct extern_list {
    GROWING_ARRAY(struct symbol *, symbols);
};

/* A kernel with both kinds of CTA groups, and the number, in reading order, of the record that
 * added the second kind. */
struct group_conflict {
    const struct function *kernel;
    uint32_t sequence;
};

struct inheritance {
    link_context *link;
    struct inherited_needs everything; /* with one kernel: the needs of all kept functions */
    struct extern_list *externs;       /* the list of each kernel, by function index */
    GROWING_ARRAY(struct group_conflict, conflicts);
    struct fragments *fragments;
    struct caching *caching;
    uint32_t *mbarriers;        /* see inherited_values.h */
    uint32_t *reconfigurations; /* see inherited_values.h */
    struct function **sources;  /* the functions whose records kernels inherit, in reading order */
    size_t sources_count;
    struct kernel_sets sets;       /* the kernels that reach a source */
    struct kernel_set only_kernel; /* of a link with one kernel: this kernel, for all sources */
    GROWING_ARRAY(struct kernel_holders, holders); /* by a symbol's extern_number - 1: the kernels
                                                      whose list of externs has the symbol */
    bool single;                                   /* the link has one kernel */
    bool failed; /* errors about the stack or the registers of kernels were reported */
};

/* The kernel's own record of the kind; NULL if it has none. */
static inline struct output_record *inherited_record(const struct function *kernel,
                                                     enum inherited_kind kind)
{
    return record_at(kernel->info, function_inherited(kernel, kind)->record);
}

/* Rebuilds the list of externs of the only kernel of a link. Before release 13.2, the symbol that
 * was read last comes first (observed in 120 links of up to five functions, weak and not, which
 * call up to four system functions). */
void rebuild_extern_list(struct inheritance *inheritance, struct extern_list *list);

#endif
