/* What layout_shared works with, and its parts in other files. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_SHARED_H
#define WARPLD_LINK_LAYOUT_LAYOUT_SHARED_H

#include "base/arena.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/release.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

/* Variables of different kernels at one address. */
struct shared_group {
    struct kernel_union kernels; /* of all members */
    uint64_t size;               /* largest member */
    uint64_t alignment;
    uint64_t offset;
    GROWING_ARRAY(struct shared_variable *, members);
};

/* A function's code refers to a variable. */
struct shared_use {
    struct function *function;
    struct shared_variable *variable;
};

struct shared_layout {
    link_context *link;
    struct kernel_sets sets;
    struct kernel_set lacking;         /* kernels that may have no section yet */
    const struct kernel_set *complete; /* the last of the sets that got theirs */
    struct kernel_set whole_programs;  /* kernels whose variables the compiler has placed */
    struct group_search *search;       /* see shared_groups.c */
    GROWING_ARRAY(struct shared_use, uses);
    GROWING_ARRAY(struct shared_group, groups);
    uint32_t *parent;            /* by kernel number: union-find over the sets of extern shared */
    struct kernel_set **members; /* by kernel number, of the representative: whom it stands for */
    uint64_t *extern_address;    /* by kernel number, of the representative */
    uint64_t *extern_alignment;  /* by kernel number: 0 if it reaches none */
    uint64_t *set_alignment;     /* by kernel number, of the representative */
    uint64_t groups_end;
    uint64_t common_alignment; /* what every kernel's section is aligned to at least */
    bool has_extern;
    bool has_too_many_groups;
};

/* Of extern shared memory, where the kernels that reach it end. For nvlink 13.0 what the symbol
 * declares is nothing (observed). */
static inline uint64_t shared_extern_alignment(const link_context *link,
                                               const struct shared_variable *variable)
{
    bool counts = link_follows(link, RELEASE_ALIGNS_EXTERN_SHARED) &&
                  variable->alignment > EXTERN_SHARED_ALIGNMENT;
    return counts ? variable->alignment : EXTERN_SHARED_ALIGNMENT;
}

/* The kernel has a section that stays, and that is not another kernel's of its name. */
bool shared_owns_section(const struct function *function);

/* Where the next variable behind `end` goes. */
uint64_t shared_next_address(const link_context *link, uint64_t end, uint64_t alignment);

/* The variable's address, and its symbol's. */
void shared_place(link_context *link, struct shared_variable *variable, uint64_t offset);

/* Puts a variable into the first group none of whose members has a kernel in common with it. */
void shared_add_to_group(struct shared_layout *layout, struct shared_variable *variable);

/* Addresses of all groups and their members, and where the kernels' own variables begin. */
void shared_place_groups(struct shared_layout *layout);

/* A kernel that no word of -kernels-used names gets its section when it first needs it: first those
 * with variables of their own, then those that share some, then those with extern shared memory
 * (observed in some hundred links with up to 4 such kernels). */
void shared_add_section(link_context *link, struct function *kernel);

/* Makes the sections that these kernels do not have yet, of the newest first. */
void shared_add_sections(struct shared_layout *layout, const struct kernel_set *kernels);

/* Addresses of extern shared memory, when all other variables have theirs. */
void layout_extern_shared(struct shared_layout *layout);

/* Size, alignment and stay of all sections, once all addresses are known. */
void shared_size_sections(struct shared_layout *layout);

/* The symbols that the variables keep. */
void shared_name_variables(struct shared_layout *layout);

#endif
