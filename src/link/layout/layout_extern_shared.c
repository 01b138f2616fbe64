/* Assigns addresses to extern shared memory. Its size is given at the launch, so it follows all
 * other variables of a kernel. If several kernels must have extern shared memory at the same
 * address, this address follows the other variables of all these kernels. Part of
 * pass_layout_shared. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/merge_sort.h"
#include "base/trace.h"
#include "link/layout/layout_shared.h"
#include "link/merge/merge_state.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/release.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

static uint32_t representative(struct shared_layout *layout, uint32_t kernel)
{
    while (layout->parent[kernel] != kernel) {
        layout->parent[kernel] = layout->parent[layout->parent[kernel]];
        kernel = layout->parent[kernel];
    }
    return kernel;
}

/* Returns the set of kernels that `kernel` represents: they have extern shared memory at the same
 * address as `kernel`. Creates the set if it does not exist; a new set contains only `kernel`. */
static struct kernel_set *members_of(struct shared_layout *layout, uint32_t kernel)
{
    link_context *link = layout->link;
    struct kernel_set **members = &layout->members[kernel];
    if (!*members) {
        *members = ARENA_NEW(&link->arena, struct kernel_set);
        kernel_set_add(&link->arena, *members, kernel);
    }
    return *members;
}

/* Adds the members of `from` to those of `to`. Copies the smaller set into the larger one, to bound
 * the time. */
static void unite_members(struct shared_layout *layout, uint32_t from, uint32_t to)
{
    link_context *link = layout->link;
    struct kernel_set *members = members_of(layout, to);
    if (!layout->members[from]) {
        kernel_set_add(&link->arena, members, from);
        return;
    }
    struct kernel_set smaller = *layout->members[from], larger = *members;
    if (smaller.count > larger.count) {
        larger = smaller;
        smaller = *members;
    }
    kernel_set_unite(&link->arena, &larger, &smaller);
    *members = larger;
}

static void unite_kernels(struct shared_layout *layout, uint32_t a, uint32_t b)
{
    link_context *link = layout->link;
    a = representative(layout, a);
    b = representative(layout, b);
    if (a == b)
        return;
    TRACE(&link->trace, TRACE_SHARED_SETS, a, b);
    layout->parent[a] = b;
    unite_members(layout, a, b);
}

static uint32_t first_kernel(const struct shared_layout *layout, const struct shared_use *use)
{
    const struct kernel_set *set = layout->sets.set[use->function->index];
    return set ? kernel_set_next(set, 0) : NO_KERNEL;
}

/* Unites the kernels of a set with `first`, which is in the set. Visits only kernels that are not
 * yet united with `first`. The time is therefore linear: all calls together visit at most as many
 * kernels as the link has. */
static void unite_kernels_of_set(struct shared_layout *layout, const struct kernel_set *set,
                                 uint32_t first)
{
    if (kernel_set_only(set) == first)
        return;
    const struct kernel_set *united = members_of(layout, representative(layout, first));
    for (uint32_t id = kernel_set_next_without(set, united, 0); id != NO_KERNEL;
         id = kernel_set_next_without(set, united, id + 1))
        unite_kernels(layout, id, first);
}

static void note_kernel(struct shared_layout *layout, struct shared_variable *variable,
                        uint32_t first)
{
    if (link_is_for_debugger(layout->link) && variable->has_kernel)
        unite_kernels(layout, first, variable->first_kernel);
    else
        variable->first_kernel = first;
    variable->has_kernel = true;
}

/* Unites the kernels that must have extern shared memory at the same address. These are all kernels
 * that reach the same function which uses extern shared memory, because the function's code
 * contains the address. With -g, all kernels that use the same symbol are united, too, because the
 * symbol has only one value. */
static void unite_extern_sets(struct shared_layout *layout)
{
    const struct kernel_set *last = NULL; /* the set united last; the next use often has the same */
    for (size_t i = 0; i < layout->uses_count; i++) {
        const struct shared_use *use = &layout->uses[i];
        const struct kernel_set *set = layout->sets.set[use->function->index];
        uint32_t first = use->variable->is_extern ? first_kernel(layout, use) : NO_KERNEL;
        if (first == NO_KERNEL)
            continue;
        note_kernel(layout, use->variable, first);
        if (set == last)
            continue;
        last = set;
        shared_add_sections(layout, set);
        unite_kernels_of_set(layout, set, first);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Alignments                                                                                    */

static int by_alignment(const void *a, const void *b)
{
    const struct shared_use *first = a, *second = b;
    if (first->variable->alignment == second->variable->alignment)
        return 0;
    return first->variable->alignment > second->variable->alignment ? -1 : 1;
}

/* Returns the uses of extern shared memory, by descending alignment of the variables. In this
 * order, the first use by a kernel decides the kernel's alignment. */
static struct shared_use **extern_uses(struct shared_layout *layout, size_t *count)
{
    link_context *link = layout->link;
    struct shared_use **uses = ARENA_ARRAY(&link->arena, struct shared_use *, layout->uses_count);
    for (size_t i = 0; i < layout->uses_count; i++)
        if (layout->uses[i].variable->is_extern)
            uses[(*count)++] = &layout->uses[i];
    merge_sort(&link->arena, (void **)uses, *count, by_alignment, TIES_FROM_A);
    return uses;
}

static void find_extern_alignments(struct shared_layout *layout)
{
    link_context *link = layout->link;
    struct kernel_holders aligned = {.added = NULL};
    size_t count = 0;
    struct shared_use **uses = extern_uses(layout, &count);
    for (size_t i = 0; i < count; i++) {
        const struct kernel_set *set = layout->sets.set[uses[i]->function->index];
        if (!set)
            continue;
        EACH_KERNEL_THAT_LACKS(id, set, &aligned)
        layout->extern_alignment[id] = shared_extern_alignment(link, uses[i]->variable);
        kernel_holders_add(&link->arena, &aligned, set, NO_KERNEL);
    }
}

/* Returns the alignment that a kernel needs for the address of its extern shared memory. With -g,
 * this is at least the alignment of the kernel's section, because a debugger looks for extern
 * shared memory at the end of the section, rounded up to the section's alignment (observed). */
static uint64_t needed_alignment(const struct shared_layout *layout, uint32_t kernel)
{
    const link_context *link = layout->link;
    uint64_t alignment = layout->extern_alignment[kernel];
    uint64_t of_section = shared_section_owner(layout->sets.kernels[kernel])->shared->alignment;
    bool counts = link_is_for_debugger(link) && link_follows(link, RELEASE_ALIGNS_EXTERN_SHARED);
    return counts && of_section > alignment ? of_section : alignment;
}

/* Gives each set of kernels the largest alignment that one of its kernels needs, so that no address
 * is misaligned. nvlink 13.1 to 13.5 instead use the alignment of the variable that they visit last
 * (docs/newer-objects.md). */
static void align_sets(struct shared_layout *layout)
{
    for (uint32_t id = 0; id < layout->sets.kernel_count; id++) {
        uint64_t *alignment = &layout->set_alignment[representative(layout, id)];
        if (layout->extern_alignment[id] && *alignment < needed_alignment(layout, id))
            *alignment = needed_alignment(layout, id);
    }
}

/* Returns the end of the shared memory of a kernel with extern shared memory. Releases that respect
 * the alignment of extern shared memory round this end up to the alignment of the kernel's section
 * (observed). */
static uint64_t end_of(struct shared_layout *layout, uint32_t kernel)
{
    uint64_t address = layout->extern_address[representative(layout, kernel)];
    const struct function *owner = shared_section_owner(layout->sets.kernels[kernel]);
    return link_follows(layout->link, RELEASE_ALIGNS_EXTERN_SHARED)
               ? align_up(address, owner->shared->alignment)
               : address;
}

/* Assigns each set of kernels the address of its extern shared memory. The address follows the
 * shared memory of every kernel in the set. Then extends the shared memory of each of these kernels
 * up to the address. */
static void place_extern(struct shared_layout *layout)
{
    const struct kernel_sets *sets = &layout->sets;
    for (uint32_t id = 0; id < sets->kernel_count; id++) {
        uint32_t set = representative(layout, id);
        uint64_t *address = &layout->extern_address[set];
        const struct shared_memory *memory =
            function_shared_memory(shared_section_owner(sets->kernels[id]));
        if (!layout->extern_alignment[id])
            continue;
        uint64_t end = shared_next_address(layout->link, memory->end, layout->set_alignment[set]);
        if (end > *address)
            *address = end;
    }
    for (uint32_t id = 0; id < sets->kernel_count; id++) {
        struct function *kernel = shared_section_owner(sets->kernels[id]);
        if (!layout->extern_alignment[id])
            continue;
        if (kernel->shared->alignment < layout->extern_alignment[id])
            kernel->shared->alignment = (uint32_t)layout->extern_alignment[id];
        function_add_shared_memory(layout->link, kernel)->end = end_of(layout, id);
    }
}

/* Stores the address of extern shared memory in each function whose code refers to it. The symbol
 * is not enough, because its address can differ between functions. A function that no kernel
 * reaches keeps the address -1 (observed). */
static void store_extern_addresses(struct shared_layout *layout)
{
    link_context *link = layout->link;
    for (size_t i = 0; i < layout->uses_count; i++) {
        const struct shared_use *use = &layout->uses[i];
        uint32_t first = use->variable->is_extern ? first_kernel(layout, use) : NO_KERNEL;
        if (first != NO_KERNEL)
            function_add_shared_memory(link, use->function)->extern_address =
                layout->extern_address[representative(layout, first)];
    }
    for (size_t i = 0; i < link->merge->shared_variables_count; i++) {
        struct shared_variable *variable = link->merge->shared_variables[i];
        if (variable->is_extern && !variable->has_kernel)
            variable->offset = shared_next_address(layout->link, 0, EXTERN_SHARED_ALIGNMENT);
        else if (variable->is_extern)
            variable->offset =
                layout->extern_address[representative(layout, variable->first_kernel)];
        if (variable->is_extern)
            TRACE(&link->trace, TRACE_SHARED_EXTERN_VARIABLE, symbol_name(variable->symbol),
                  (long long)variable->offset);
    }
}

/* Assigns addresses to extern shared memory. Unites the kernels that must have it at the same
 * address, computes the alignment for each set of united kernels, and places extern shared memory
 * after the other variables of these kernels. */
void layout_extern_shared(struct shared_layout *layout)
{
    link_context *link = layout->link;
    uint32_t count = layout->sets.kernel_count;
    if (!layout->has_extern)
        return;
    TRACE(&link->trace, TRACE_SHARED_EXTERN);
    layout->parent = ARENA_ARRAY(&link->arena, uint32_t, count);
    layout->extern_address = ARENA_ARRAY(&link->arena, uint64_t, count);
    layout->extern_alignment = ARENA_ARRAY(&link->arena, uint64_t, count);
    layout->set_alignment = ARENA_ARRAY(&link->arena, uint64_t, count);
    layout->members = ARENA_ARRAY(&link->arena, struct kernel_set *, count);
    for (uint32_t id = 0; id < count; id++)
        layout->parent[id] = id;
    unite_extern_sets(layout);
    find_extern_alignments(layout);
    align_sets(layout);
    place_extern(layout);
    for (uint32_t id = 0; id < count; id++)
        if (layout->extern_alignment[id] && representative(layout, id) == id)
            TRACE(&link->trace, TRACE_SHARED_INSTANCE, id, (long long)layout->extern_address[id]);
    store_extern_addresses(layout);
}
