/* Shared variables of several kernels: those that no kernel has in common are at one address. Part
 * of layout_shared.
 *
 * Which group a variable goes to, the first that fits, was fitted together with the rest of
 * layout_shared.c. Looking at each group for each variable takes quadratic time: 39 seconds for
 * 16,000 functions that one kernel calls, and each of them another. So what stood in the way once
 * is remembered. */
#include "link/layout_shared.h"

/* So many kernels at most are remembered of one search, as a variable can have thousands. */
enum { MOST_BLOCKERS = 8 };

/* Kernels that are in all groups looked at so far. What each has taken are numbers of groups in a
 * set of numbers, as sets of kernels are. */
struct blockers {
    const struct kernel_set *taken[MOST_BLOCKERS];
    size_t count;
};

static void add_blocker(struct blockers *blockers, const struct kernel_set *taken)
{
    size_t known = blockers->count < MOST_BLOCKERS ? blockers->count : (size_t)MOST_BLOCKERS;
    for (size_t i = 0; i < known; i++)
        if (blockers->taken[i] == taken)
            return;
    blockers->taken[blockers->count++ % MOST_BLOCKERS] = taken;
}

static uint32_t next_group(const struct blockers *blockers, uint32_t from)
{
    size_t known = blockers->count < MOST_BLOCKERS ? blockers->count : (size_t)MOST_BLOCKERS;
    return kernel_sets_next_in_none(blockers->taken, known, from);
}

/* A kernel that the group and the variable have in common. */
static uint32_t kernel_in_the_way(const struct shared_layout *layout, uint32_t group,
                                  const struct kernel_set *kernels)
{
    if (group >= layout->groups_count)
        return NO_KERNEL;
    return kernel_set_previous_of_both(kernel_union_set(&layout->groups[group].kernels), kernels,
                                       NO_KERNEL);
}

/* A group that has a kernel keeps it, so each is found to have it once only, as long as a search
 * has few kernels in its way. That of which one was found is asked next, and mostly is the only
 * one.
 */
static uint32_t first_fitting_group(struct shared_layout *layout, const struct kernel_set *kernels)
{
    link_context *link = layout->link;
    struct blockers blockers = {.count = 0};
    uint32_t group = 0, kernel;
    while ((kernel = kernel_in_the_way(layout, group, kernels)) != NO_KERNEL) {
        kernel_set_add(ARENA, &layout->taken[kernel], group);
        add_blocker(&blockers, &layout->taken[kernel]);
        group = next_group(&blockers, group + 1);
    }
    return group;
}

/* Each group has a byte at least, and some kernel that has variables in the last one has all of
 * them in its memory: of more than 0x39000 bytes that is none on any target. Damaged objects could
 * have us make many more. */
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
    if (!layout->taken)
        layout->taken = ARENA_ARRAY(ARENA, struct kernel_set, layout->sets.kernel_count);
    uint32_t group = first_fitting_group(layout, kernels);
    return group < layout->groups_count ? &layout->groups[group]
                                        : ARENA_APPEND(ARENA, layout, groups);
}

void shared_add_to_group(struct shared_layout *layout, struct shared_variable *variable)
{
    link_context *link = layout->link;
    const struct kernel_set *kernels = kernel_union_set(&variable->kernels);
    struct shared_group *group = group_for(layout, kernels);
    TRACE(TRACE_SHARED_GROUP, (size_t)(group - layout->groups));
    kernel_union_add(ARENA, &group->kernels, kernels);
    if (variable->size > group->size)
        group->size = variable->size;
    if (variable->alignment > group->alignment)
        group->alignment = variable->alignment;
    *ARENA_APPEND(ARENA, group, members) = variable;
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

static void end_behind(const struct shared_layout *layout, const struct shared_variable *variable,
                       uint32_t kernel)
{
    struct function *owner = shared_section_owner(layout->sets.kernels[kernel]);
    struct shared_memory *memory = function_add_shared_memory(layout->link, owner);
    uint64_t end = add_sizes(variable->offset, variable->size);
    if (end > memory->end)
        memory->end = end;
}

/* A kernel has one variable in a group at most, and groups lie one behind the other: the last one
 * that it has a variable in says where its own variables begin. */
static void find_ends(struct shared_layout *layout)
{
    link_context *link = layout->link;
    struct kernel_holders ended = {.added = NULL};
    for (size_t i = layout->groups_count; i-- > 0;) {
        const struct shared_group *group = &layout->groups[i];
        for (size_t m = 0; m < group->members_count; m++) {
            const struct kernel_set *kernels = kernel_union_set(&group->members[m]->kernels);
            EACH_KERNEL_THAT_LACKS(id, kernels, &ended)
            end_behind(layout, group->members[m], id);
            kernel_holders_add(ARENA, &ended, kernels, NO_KERNEL);
        }
    }
}

void shared_place_groups(struct shared_layout *layout)
{
    link_context *link = layout->link;
    uint64_t end = 0;
    if (layout->groups_count)
        TRACE(TRACE_SHARED_GLOBAL);
    for (size_t i = 0; i < layout->groups_count; i++) {
        struct shared_group *group = &layout->groups[i];
        group->offset = shared_next_address(link, end, group->alignment);
        end = add_sizes(group->offset, group->size);
        place_members(layout, group);
    }
    find_ends(layout);
    layout->groups_end = end;
}
