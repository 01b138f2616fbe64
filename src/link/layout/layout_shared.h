/* The state of pass_layout_shared, and the functions that its files share. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_SHARED_H
#define WARPLD_LINK_LAYOUT_LAYOUT_SHARED_H

#include "base/arena.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/release.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

/* A set of variables that have the same address. They may overlap, because no two of them have a
 * kernel in common. */
struct shared_group {
    struct kernel_union kernels; /* the kernels of all members */
    uint64_t size;               /* size of the largest member */
    uint64_t alignment;
    uint64_t offset;
    GROWING_ARRAY(struct shared_variable *, members);
};

/* A use of a variable: a reference to it in the code of a function. */
struct shared_use {
    struct function *function;
    struct shared_variable *variable;
};

struct shared_layout {
    link_context *link;
    struct kernel_sets sets;
    struct kernel_set lacking;         /* kernels that may have no shared memory section yet */
    const struct kernel_set *complete; /* the set that shared_add_sections handled last, or NULL */
    struct kernel_set whole_programs;  /* kernels whose variables the compiler has placed */
    struct group_search *search;       /* see shared_groups.c */
    GROWING_ARRAY(struct shared_use, uses);
    GROWING_ARRAY(struct shared_group, groups);
    /* Kernels that must have extern shared memory at the same address form a set. `parent`
     * represents these sets as union-find trees, by kernel number. The root of a set's tree is the
     * set's representative. */
    uint32_t *parent;
    uint64_t *extern_alignment; /* by kernel number; 0: the kernel has no extern shared memory */
    /* Three arrays with an element for each set, at the index of the set's representative: */
    struct kernel_set **members; /* the kernels in the set; NULL: only the representative */
    uint64_t *extern_address;    /* the address of extern shared memory in these kernels */
    uint64_t *set_alignment;     /* the alignment of extern_address */
    uint64_t groups_end;
    uint64_t common_alignment; /* minimum alignment of every kernel's section */
    bool has_extern;
    bool has_too_many_groups;
};

/* Returns the alignment of an extern shared variable. nvlink 13.0 uses EXTERN_SHARED_ALIGNMENT and
 * ignores the alignment that the symbol declares (observed). */
static inline uint64_t shared_extern_alignment(const link_context *link,
                                               const struct shared_variable *variable)
{
    bool counts = link_follows(link, RELEASE_ALIGNS_EXTERN_SHARED) &&
                  variable->alignment > EXTERN_SHARED_ALIGNMENT;
    return counts ? variable->alignment : EXTERN_SHARED_ALIGNMENT;
}

/* True if the function is kept and owns a section of shared memory. Static kernels of one name
 * share a section, which only one of them owns. */
bool shared_owns_section(const struct function *function);

/* Returns the address for the next variable, if the memory is used up to `end`. With
 * --reserve-null-pointer, no variable has address 0. */
uint64_t shared_next_address(const link_context *link, uint64_t end, uint64_t alignment);

/* Sets the address of the variable and of its symbol. */
void shared_place(link_context *link, struct shared_variable *variable, uint64_t offset);

/* Adds a variable to the first group that has no kernel in common with it. */
void shared_add_to_group(struct shared_layout *layout, struct shared_variable *variable);

/* Assigns addresses to all groups and their members, and finds where the kernels' own variables
 * begin. */
void shared_place_groups(struct shared_layout *layout);

/* Creates the section for the shared memory of a kernel if there is none.
 *
 * pass_merge creates the sections of most kernels. With -kernels-used, a kernel that the option
 * does not name gets its section here, with its first variable. nvlink creates these sections in
 * this order: kernels with their own variables, kernels that share variables with others, kernels
 * with extern shared memory (observed in some hundred links with up to 4 such kernels). */
void shared_add_section(link_context *link, struct function *kernel);

/* Creates a section for each of these kernels that has none, beginning with the newest kernel. */
void shared_add_sections(struct shared_layout *layout, const struct kernel_set *kernels);

/* Assigns addresses to extern shared memory, after all other variables have theirs. */
void layout_extern_shared(struct shared_layout *layout);

/* Sets the size and the alignment of all sections and drops empty ones, once all addresses are
 * known. */
void shared_size_sections(struct shared_layout *layout);

/* Sets the section and the value of each shared variable's symbol that the output has. */
void shared_name_variables(struct shared_layout *layout);

#endif
