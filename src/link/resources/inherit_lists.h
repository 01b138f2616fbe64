/* The state of the inheritance of attributes. inherit_lists.c builds the lists that kernels
 * inherit, and inherit.c changes and appends the records. Both use this header. */
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

/* The list of externs that a kernel inherits. */
struct extern_list {
    GROWING_ARRAY(struct symbol *, symbols);
};

/* A kernel with both kinds of CTA groups, which is an error. */
struct group_conflict {
    const struct function *kernel;
    uint32_t sequence; /* number, in reading order, of the record that added the second kind */
};

struct inheritance {
    link_context *link;
    struct inherited_needs everything; /* in a link with one kernel: needs of all kept functions */
    struct extern_list *externs;       /* by function index: the list of the kernel */
    GROWING_ARRAY(struct group_conflict, conflicts);
    struct fragments *fragments;
    struct caching *caching;
    uint32_t *mbarriers;        /* see inherited_values.h */
    uint32_t *reconfigurations; /* see inherited_values.h */
    struct function **sources;  /* kept functions with externs or fragments, in reading order */
    size_t sources_count;
    struct kernel_sets sets;       /* the kernels that reach a source */
    struct kernel_set only_kernel; /* contains kernel 0; used in a link with one kernel, instead of
                                      the sets in `sets` */
    GROWING_ARRAY(struct kernel_holders, holders); /* by a symbol's extern_number - 1: the kernels
                                                      whose list of externs has the symbol */
    bool single;                                   /* the link has one kernel */
    bool failed; /* errors about the stack or the registers of kernels were reported */
};

/* Returns the kernel's own record of an attribute; NULL if it has none. */
static inline struct output_record *inherited_record(const struct function *kernel,
                                                     enum inherited_kind kind)
{
    return record_at(kernel->info, function_inherited(kernel, kind)->record);
}

/* Rebuilds the list of externs in a link with one kernel. The list is in reading order or, before
 * release 13.2, in the reverse order (observed in 120 links of up to five weak and other functions,
 * which call up to four system functions). */
void rebuild_extern_list(struct inheritance *inheritance, struct extern_list *list);

#endif
