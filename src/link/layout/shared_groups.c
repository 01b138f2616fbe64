/* Assigns addresses to shared variables that several kernels use. Variables that have no kernel in
 * common form a group, and all members of a group have the same address. Part of
 * pass_layout_shared.
 *
 * A variable is added to the first group that has no kernel in common with it. layout_shared.c
 * gives the evidence for this rule. A search that tries every group for every variable takes
 * quadratic time: it took 39 seconds in a link with 16,000 functions and as many groups. So the
 * search remembers the groups that contain certain kernels. These groups are blocked for all
 * further variables of such a kernel. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "link/layout/layout_shared.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

/* The size of group_search.recent. This list has kernels that blocked groups in earlier searches,
 * and will probably block groups in later searches. The most frequent kernels move to its front. */
enum { MOST_RECENT = 8 };

struct group_search {
    struct kernel_set *taken; /* by kernel number: the numbers of groups known to contain it */
    uint64_t *words;          /* space for a set of kernels */
    uint32_t recent[MOST_RECENT];
    size_t recent_count;
};

enum { MOST_BLOCKERS = 2 * MOST_RECENT };

/* The kernels that block groups for one variable: kernels of the variable that are also in groups.
 * The arrays are ring buffers, which have the last MOST_BLOCKERS of these kernels. */
struct blockers {
    uint32_t kernels[MOST_BLOCKERS];
    const struct kernel_set *taken[MOST_BLOCKERS];
    size_t count; /* number of all blockers, including overwritten ones */
};

static size_t known_blockers(const struct blockers *blockers)
{
    return blockers->count < MOST_BLOCKERS ? blockers->count : (size_t)MOST_BLOCKERS;
}

static void add_blocker(const struct group_search *search, struct blockers *blockers,
                        uint32_t kernel)
{
    size_t slot = blockers->count++ % MOST_BLOCKERS;
    blockers->kernels[slot] = kernel;
    blockers->taken[slot] = &search->taken[kernel];
}

static void add_recent_blockers(struct group_search *search, const struct kernel_set *kernels,
                                struct blockers *blockers)
{
    for (size_t i = 0; i < search->recent_count; i++) {
        uint32_t kernel = search->recent[i], before = i ? i - 1 : 0;
        if (!kernel_set_has(kernels, kernel))
            continue;
        add_blocker(search, blockers, kernel);
        search->recent[i] = search->recent[before];
        search->recent[before] = kernel;
    }
}

static void note_recent(struct group_search *search, uint32_t kernel)
{
    for (size_t i = 0; i < search->recent_count; i++)
        if (search->recent[i] == kernel)
            return;
    if (search->recent_count < MOST_RECENT)
        search->recent_count++;
    search->recent[search->recent_count - 1] = kernel;
}

static const struct kernel_set *kernels_of_group(const struct shared_layout *layout, uint32_t group)
{
    return kernel_union_set(&layout->groups[group].kernels);
}

static bool is_known_blocker_in(struct shared_layout *layout, const struct blockers *blockers,
                                uint32_t group)
{
    link_context *link = layout->link;
    for (size_t i = 0; i < known_blockers(blockers); i++) {
        uint32_t kernel = blockers->kernels[i];
        if (!kernel_set_has(kernels_of_group(layout, group), kernel))
            continue;
        kernel_set_add(&link->arena, &layout->search->taken[kernel], group);
        return true;
    }
    return false;
}

/* Finds a kernel that blocks many groups: of the common kernels of `group` and `kernels`, the one
 * that is also in the longest run of groups after `group`. NO_KERNEL if there is no common kernel.
 *
 * The first or the last common kernel would not do. If each function calls the next one, there can
 * be thousands of common kernels. Each group can then have a different first or last common kernel,
 * although some kernel is in all groups. */
static uint32_t find_lasting_kernel(struct shared_layout *layout, uint32_t group,
                                    const struct kernel_set *kernels)
{
    link_context *link = layout->link;
    uint32_t kernel = NO_KERNEL, end = group;
    uint64_t *words = layout->search->words;
    struct kernel_set common = kernel_sets_common(words, kernels, kernels_of_group(layout, group));
    while (common.count) {
        kernel = kernel_set_previous(&common, NO_KERNEL);
        if (++end == layout->groups_count)
            break;
        common = kernel_sets_common(words, &common, kernels_of_group(layout, end));
    }
    for (uint32_t i = group; i < end; i++)
        kernel_set_add(&link->arena, &layout->search->taken[kernel], i);
    return kernel;
}

/* True if the group has a kernel in common with the variable's kernels. */
static bool is_blocked(struct shared_layout *layout, struct blockers *blockers,
                       const struct kernel_set *kernels, uint32_t group)
{
    struct group_search *search = layout->search;
    if (is_known_blocker_in(layout, blockers, group))
        return true;
    uint32_t kernel =
        kernel_set_previous_of_both(kernels_of_group(layout, group), kernels, NO_KERNEL);
    if (kernel != NO_KERNEL && !kernel_set_has(&search->taken[kernel], group))
        kernel = find_lasting_kernel(layout, group, kernels);
    if (kernel == NO_KERNEL)
        return false;
    add_blocker(search, blockers, kernel);
    note_recent(search, kernel);
    return true;
}

/* Finds the first group that has no kernel in common with the set. Skips groups that are known to
 * be blocked; they remain blocked, because groups never lose kernels. */
static uint32_t first_fitting_group(struct shared_layout *layout, const struct kernel_set *kernels)
{
    struct blockers blockers = {.count = 0};
    add_recent_blockers(layout->search, kernels, &blockers);
    uint32_t group = kernel_sets_next_in_none(blockers.taken, known_blockers(&blockers), 0);
    while (group < layout->groups_count && is_blocked(layout, &blockers, kernels, group))
        group = kernel_sets_next_in_none(blockers.taken, known_blockers(&blockers), group + 1);
    return group;
}

static struct group_search *new_search(const struct shared_layout *layout)
{
    link_context *link = layout->link;
    uint32_t count = layout->sets.kernel_count;
    struct group_search *search = ARENA_NEW(&link->arena, struct group_search);
    search->taken = ARENA_ARRAY(&link->arena, struct kernel_set, count);
    search->words = ARENA_ARRAY(&link->arena, uint64_t, count / 64 + 1);
    return search;
}

/* Returns true, after reporting an error, if there are MOST_GROUPS groups. Only damaged objects
 * reach this limit: groups follow one another in shared memory, and each takes at least one byte.
 * No target has more than 0x39000 bytes of shared memory, which is less than MOST_GROUPS. */
static bool has_too_many_groups(struct shared_layout *layout)
{
    enum { MOST_GROUPS = 1 << 18 };
    if (layout->groups_count == MOST_GROUPS && !layout->has_too_many_groups) {
        diagnostic_report(&layout->link->diagnostics, DIAGNOSTIC_SHARED_COUNT, NULL, NULL,
                          (unsigned)MOST_GROUPS);
        layout->has_too_many_groups = true;
    }
    return layout->has_too_many_groups;
}

static struct shared_group *group_for(struct shared_layout *layout,
                                      const struct kernel_set *kernels)
{
    link_context *link = layout->link;
    if (has_too_many_groups(layout))
        return &layout->groups[0];
    if (!layout->search)
        layout->search = new_search(layout);
    uint32_t group = first_fitting_group(layout, kernels);
    return group < layout->groups_count ? &layout->groups[group]
                                        : ARENA_APPEND(&link->arena, layout, groups);
}

void shared_add_to_group(struct shared_layout *layout, struct shared_variable *variable)
{
    link_context *link = layout->link;
    const struct kernel_set *kernels = kernel_union_set(&variable->kernels);
    struct shared_group *group = group_for(layout, kernels);
    TRACE(&link->trace, TRACE_SHARED_GROUP, (size_t)(group - layout->groups));
    kernel_union_add(&link->arena, &group->kernels, kernels);
    if (variable->size > group->size)
        group->size = variable->size;
    if (variable->alignment > group->alignment)
        group->alignment = variable->alignment;
    *ARENA_APPEND(&link->arena, group, members) = variable;
}

static void add_sections_of_users(struct shared_layout *layout,
                                  const struct shared_variable *variable)
{
    for (size_t i = 0; layout->lacking.count && i < variable->users_count; i++) {
        const struct kernel_set *set = layout->sets.set[variable->users[i]->index];
        if (set)
            shared_add_sections(layout, set);
    }
}

static void place_members(struct shared_layout *layout, const struct shared_group *group)
{
    for (size_t i = 0; i < group->members_count; i++) {
        shared_place(layout->link, group->members[i], group->offset);
        add_sections_of_users(layout, group->members[i]);
    }
}

static void extend_memory(const struct shared_layout *layout,
                          const struct shared_variable *variable, uint32_t kernel)
{
    struct function *owner = shared_section_owner(layout->sets.kernels[kernel]);
    struct shared_memory *memory = function_add_shared_memory(layout->link, owner);
    uint64_t end = add_sizes(variable->offset, variable->size);
    if (end > memory->end)
        memory->end = end;
}

/* Finds for each kernel the end of its last grouped variable, where the kernel's own variables
 * begin. Groups follow one another, so this variable is in the last group that contains the kernel.
 * A group has only one variable of a kernel. */
static void find_ends(struct shared_layout *layout)
{
    link_context *link = layout->link;
    struct kernel_holders ended = {.added = NULL};
    for (size_t i = layout->groups_count; i-- > 0;) {
        const struct shared_group *group = &layout->groups[i];
        for (size_t m = 0; m < group->members_count; m++) {
            const struct kernel_set *kernels = kernel_union_set(&group->members[m]->kernels);
            EACH_KERNEL_THAT_LACKS(id, kernels, &ended)
            extend_memory(layout, group->members[m], id);
            kernel_holders_add(&link->arena, &ended, kernels, NO_KERNEL);
        }
    }
}

void shared_place_groups(struct shared_layout *layout)
{
    link_context *link = layout->link;
    uint64_t end = 0;
    if (layout->groups_count)
        TRACE(&link->trace, TRACE_SHARED_GLOBAL);
    for (size_t i = 0; i < layout->groups_count; i++) {
        struct shared_group *group = &layout->groups[i];
        group->offset = shared_next_address(link, end, group->alignment);
        end = add_sizes(group->offset, group->size);
        place_members(layout, group);
    }
    find_ends(layout);
    layout->groups_end = end;
}
