/* The state of layout_shared, and its functions in other files. */
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

/* A reference of a function's code to a variable. */
struct shared_use {
    struct function *function;
    struct shared_variable *variable;
};

struct shared_layout {
    link_context *link;
    struct kernel_sets sets;
    struct kernel_set lacking;         /* kernels that may have no section yet */
    const struct kernel_set *complete; /* the last set whose sections were made */
    struct kernel_set whole_programs;  /* kernels whose variables the compiler has placed */
    struct group_search *search;       /* see shared_groups.c */
    GROWING_ARRAY(struct shared_use, uses);
    GROWING_ARRAY(struct shared_group, groups);
    uint32_t *parent; /* by kernel number: union-find of kernels with one extern address */
    struct kernel_set **members; /* by number of the representative: its set */
    uint64_t *extern_address;    /* by number of the representative */
    uint64_t *extern_alignment;  /* by kernel number; 0: reaches no extern variable */
    uint64_t *set_alignment;     /* by number of the representative */
    uint64_t groups_end;
    uint64_t common_alignment; /* minimum alignment of every kernel's section */
    bool has_extern;
    bool has_too_many_groups;
};

/* The alignment of extern shared memory at the end of a kernel's memory. nvlink 13.0 ignores the
 * alignment that the symbol declares (observed). */
static inline uint64_t shared_extern_alignment(const link_context *link,
                                               const struct shared_variable *variable)
{
    bool counts = link_follows(link, RELEASE_ALIGNS_EXTERN_SHARED) &&
                  variable->alignment > EXTERN_SHARED_ALIGNMENT;
    return counts ? variable->alignment : EXTERN_SHARED_ALIGNMENT;
}

/* True if the kernel's section is in the output, and does not belong to another kernel of its
 * name. */
bool shared_owns_section(const struct function *function);

/* The address of the next variable after `end`. */
uint64_t shared_next_address(const link_context *link, uint64_t end, uint64_t alignment);

/* Sets the address of the variable and of its symbol. */
void shared_place(link_context *link, struct shared_variable *variable, uint64_t offset);

/* Adds a variable to the first group that has no kernel in common with it. */
void shared_add_to_group(struct shared_layout *layout, struct shared_variable *variable);

/* Assigns addresses to all groups and their members, and finds where the kernels' own variables
 * begin. */
void shared_place_groups(struct shared_layout *layout);

/* Makes the section for the shared memory of a kernel if there is none. For a kernel that no
 * argument of -kernels-used names, this happens when the kernel gets its first variable. Such late
 * sections are made first for kernels with their own variables, then for those that share some,
 * then for those with extern shared memory (observed in some hundred links with up to 4 such
 * kernels). */
void shared_add_section(link_context *link, struct function *kernel);

/* Makes the missing sections of these kernels, beginning with the newest. */
void shared_add_sections(struct shared_layout *layout, const struct kernel_set *kernels);

/* Assigns addresses to extern shared memory, after all other variables have theirs. */
void layout_extern_shared(struct shared_layout *layout);

/* Sets the size and the alignment of all sections and drops empty ones, once all addresses are
 * known. */
void shared_size_sections(struct shared_layout *layout);

/* Sets the section and the value of the variables' symbols that remain in the output. */
void shared_name_variables(struct shared_layout *layout);

#endif
