/* Assigns addresses to shared variables that several kernels use. Variables that have no kernel in
 * common form a group, and all members of a group have one address. Part of pass_layout_shared.
 *
 * A variable is added to the first group that has no kernel in common with it; layout_shared.c
 * gives the evidence for this rule. Trying every group for every variable takes quadratic time. It
 * took 39 seconds for 16,000 functions that one kernel calls, each also called by a second kernel,
 * which differs from function to function. So the search remembers, for some kernels, the groups
 * that contain the kernel: these groups are blocked for each further variable of the kernel. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "link/layout/layout_shared.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

/* How many kernels are remembered because they blocked groups in earlier searches. They will
 * probably block groups in later ones, too. The most frequent kernels move to the front of
 * `recent`. */
enum { MOST_RECENT = 8 };

struct group_search {
    struct kernel_set *taken; /* by kernel number: the groups known to contain the kernel */
    uint64_t *words;          /* space for a set of kernels */
    uint32_t recent[MOST_RECENT];
    size_t recent_count;
};

/* The kernels of a variable that are known to block groups. Only the last MOST_BLOCKERS of them are
 * stored. */
enum { MOST_BLOCKERS = 2 * MOST_RECENT };

struct blockers {
    uint32_t kernels[MOST_BLOCKERS];
    const struct kernel_set *taken[MOST_BLOCKERS];
    size_t count; /* of all blockers, including those that were overwritten */
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

/* Finds a kernel that blocks many groups. It uses the variable and is in `group`. Of all such
 * kernels, it is the one that is also in the longest run of groups after `group`. Simply taking the
 * first or the last common kernel would not suffice. With thousands of common kernels, as when each
 * function calls the next, each group can have a different first or last one, although some kernel
 * is in all groups. */
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

/* Whether the group has a kernel in common with the variable. */
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

/* Finds the first group that has no kernel in common with the set. Groups only gain kernels, so a
 * group that was blocked once remains blocked. */
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

/* Limits the number of groups. Only damaged objects exceed the limit: each group takes at least one
 * byte, and the shared memory of a kernel that has a variable in the last group contains all
 * groups. No target has more than 0x39000 bytes of shared memory. */
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

/* Finds the end of the grouped variables of each kernel, where the kernel's own variables begin. A
 * kernel has at most one variable in a group, and groups follow one another. So the last group with
 * a variable of the kernel decides. */
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
