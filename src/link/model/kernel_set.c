/* Sets of kernels; see kernel_set.h. */
#include "link/model/kernel_set.h"

#include <string.h>

#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* --------------------------------------------------------------------------------------------- */
/* Members                                                                                       */

enum { WORD_BITS = 64 };

static uint64_t word_of(const struct kernel_set *set, uint32_t word)
{
    bool is_inside = word >= set->first && word - set->first < set->count;
    return is_inside ? set->words[word - set->first] : 0;
}

uint32_t kernel_set_next_without(const struct kernel_set *set, const struct kernel_set *others,
                                 uint32_t from)
{
    uint32_t from_word = from / WORD_BITS, end = set->first + set->count;
    for (uint32_t word = from_word < set->first ? set->first : from_word; word < end; word++) {
        uint64_t bits = set->words[word - set->first] & ~word_of(others, word);
        if (word == from_word)
            bits &= UINT64_MAX << from % WORD_BITS;
        if (bits)
            return word * WORD_BITS + (uint32_t)__builtin_ctzll(bits);
    }
    return NO_KERNEL;
}

uint32_t kernel_set_next(const struct kernel_set *set, uint32_t from)
{
    static const struct kernel_set NONE;
    return kernel_set_next_without(set, &NONE, from);
}

uint32_t kernel_set_previous_of_both(const struct kernel_set *a, const struct kernel_set *b,
                                     uint32_t limit)
{
    uint32_t limit_word = limit / WORD_BITS;
    uint32_t first = a->first > b->first ? a->first : b->first;
    uint32_t a_end = a->first + a->count, b_end = b->first + b->count;
    uint32_t end = a_end < b_end ? a_end : b_end;
    for (uint32_t word = limit_word < end ? limit_word + 1 : end; word-- > first;) {
        uint64_t bits = a->words[word - a->first] & b->words[word - b->first];
        if (word == limit_word)
            bits &= (UINT64_C(1) << limit % WORD_BITS) - 1;
        if (bits)
            return word * WORD_BITS + WORD_BITS - 1 - (uint32_t)__builtin_clzll(bits);
    }
    return NO_KERNEL;
}

uint32_t kernel_set_previous(const struct kernel_set *set, uint32_t limit)
{
    return kernel_set_previous_of_both(set, set, limit);
}

struct kernel_set kernel_sets_common(uint64_t *words, const struct kernel_set *a,
                                     const struct kernel_set *b)
{
    uint32_t first = a->first > b->first ? a->first : b->first;
    uint32_t end = a->first + a->count;
    while (first < end && !(word_of(a, first) & word_of(b, first)))
        first++;
    while (first < end && !(word_of(a, end - 1) & word_of(b, end - 1)))
        end--;
    for (uint32_t word = first; word < end; word++)
        words[word - first] = word_of(a, word) & word_of(b, word);
    return (struct kernel_set){words, first, first < end ? end - first : 0};
}

uint32_t kernel_set_only(const struct kernel_set *set)
{
    uint32_t first = kernel_set_next(set, 0);
    bool has_more = first != NO_KERNEL && kernel_set_next(set, first + 1) != NO_KERNEL;
    return has_more ? NO_KERNEL : first;
}

uint32_t kernel_sets_next_in_none(const struct kernel_set *const *sets, size_t count, uint32_t from)
{
    uint64_t bits = (UINT64_C(1) << from % WORD_BITS) - 1;
    for (uint32_t word = from / WORD_BITS;; word++, bits = 0) {
        for (size_t i = 0; i < count; i++)
            bits |= word_of(sets[i], word);
        if (~bits)
            return word * WORD_BITS + (uint32_t)__builtin_ctzll(~bits);
    }
}

bool kernel_set_has(const struct kernel_set *set, uint32_t id)
{
    return word_of(set, id / WORD_BITS) >> id % WORD_BITS & 1;
}

bool kernel_sets_meet(const struct kernel_set *a, const struct kernel_set *b)
{
    return kernel_set_previous_of_both(a, b, NO_KERNEL) != NO_KERNEL;
}

/* Extends the window to include the words from `first` up to, but not including, `end`. A window
 * that grows gets spare capacity in the direction of growth. So a set that grows word by word is
 * copied in linear time. */
static void widen(struct arena *arena, struct kernel_set *set, uint32_t first, uint32_t end)
{
    uint32_t old_end = set->first + set->count;
    if (set->count && first >= set->first && end <= old_end)
        return;
    if (set->count) {
        uint32_t ahead = set->count;
        if (first < set->first)
            first = first > ahead ? first - ahead : 0;
        else
            first = set->first;
        end = end > old_end ? end + ahead : old_end;
    }
    uint64_t *words = ARENA_ARRAY(arena, uint64_t, end - first);
    if (set->count)
        memcpy(words + (set->first - first), set->words, set->count * sizeof *words);
    *set = (struct kernel_set){words, first, end - first};
}

void kernel_set_add(struct arena *arena, struct kernel_set *set, uint32_t id)
{
    uint32_t word = id / WORD_BITS;
    widen(arena, set, word, word + 1);
    set->words[word - set->first] |= UINT64_C(1) << id % WORD_BITS;
}

void kernel_set_remove(struct kernel_set *set, uint32_t id)
{
    if (kernel_set_has(set, id))
        set->words[id / WORD_BITS - set->first] &= ~(UINT64_C(1) << id % WORD_BITS);
}

void kernel_set_unite(struct arena *arena, struct kernel_set *set, const struct kernel_set *other)
{
    uint32_t first = 0, end = other->count;
    while (first < end && !other->words[first])
        first++;
    while (first < end && !other->words[end - 1])
        end--;
    if (first == end)
        return;
    widen(arena, set, other->first + first, other->first + end);
    for (uint32_t i = first; i < end; i++)
        set->words[other->first + i - set->first] |= other->words[i];
}

static struct kernel_set *own_set(struct arena *arena, struct kernel_union *sum)
{
    if (sum->own)
        return sum->own;
    sum->own = ARENA_NEW(arena, struct kernel_set);
    if (sum->set)
        kernel_set_unite(arena, sum->own, sum->set);
    sum->set = sum->own;
    return sum->own;
}

void kernel_union_add(struct arena *arena, struct kernel_union *sum, const struct kernel_set *set)
{
    if (!sum->set)
        sum->set = set;
    else if (sum->set != set)
        kernel_set_unite(arena, own_set(arena, sum), set);
}

void kernel_union_add_kernel(struct arena *arena, struct kernel_union *sum, uint32_t id)
{
    if (!kernel_set_has(kernel_union_set(sum), id))
        kernel_set_add(arena, own_set(arena, sum), id);
}

const struct kernel_set *kernel_union_set(const struct kernel_union *sum)
{
    static const struct kernel_set NONE;
    return sum->set ? sum->set : &NONE;
}

void kernel_holders_add(struct arena *arena, struct kernel_holders *holders,
                        const struct kernel_set *set, uint32_t excluded)
{
    if (holders->added == set)
        return;
    bool is_excluded = excluded != NO_KERNEL && !kernel_set_has(&holders->kernels, excluded);
    kernel_set_unite(arena, &holders->kernels, set);
    if (is_excluded)
        kernel_set_remove(&holders->kernels, excluded);
    holders->added = is_excluded ? NULL : set;
}

/* --------------------------------------------------------------------------------------------- */
/* Which kernels reach which functions */

uint32_t kernel_sets_number(const struct kernel_sets *sets, const struct function *kernel)
{
    return kernel && sets->kernel_id ? sets->kernel_id[kernel->index] : NO_KERNEL;
}

/* Marks every node from which an interesting function can be reached. */
static bool *find_concerned(link_context *link, const bool *interesting)
{
    const struct callgraph *graph = &link->callgraph;
    bool *concerned = ARENA_ARRAY(&link->arena, bool, graph->node_count);
    uint32_t *queue = ARENA_ARRAY(&link->arena, uint32_t, graph->node_count);
    uint32_t size = 0;
    for (uint32_t i = 0; i < graph->function_count; i++)
        if (interesting[i]) {
            concerned[i] = true;
            queue[size++] = i;
        }
    while (size) {
        uint32_t node = queue[--size];
        for (uint32_t i = graph->callers.start[node]; i < graph->callers.start[node + 1]; i++) {
            uint32_t caller = graph->callers.targets[i];
            if (!concerned[caller]) {
                concerned[caller] = true;
                queue[size++] = caller;
            }
        }
    }
    return concerned;
}

/* Whether the function gets a number as a kernel. A kernel gets one if it reaches an interesting
 * function. An entry that is kept only as a device function gets one only if it is interesting
 * itself (observed with -kernels-used: textures, shared memory, constants). */
static bool is_concerned(const struct function *function, const bool *interesting,
                         const bool *concerned)
{
    if (function->kernel)
        return concerned[function->index];
    return function->entry && function->text && interesting[function->index];
}

static void number_kernels(link_context *link, const bool *interesting, const bool *concerned,
                           struct kernel_sets *sets)
{
    size_t count = link->functions_count;
    sets->kernels = ARENA_ARRAY(&link->arena, struct function *, count);
    sets->kernel_id = ARENA_ARRAY(&link->arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        struct function *function = link->functions[i];
        bool counts = is_concerned(function, interesting, concerned);
        sets->kernel_id[i] = counts ? sets->kernel_count : NO_KERNEL;
        if (counts)
            sets->kernels[sets->kernel_count++] = function;
    }
}

static bool node_is_kernel(const link_context *link, const struct kernel_sets *sets, uint32_t node)
{
    return node < link->callgraph.function_count && link->functions[node]->kernel &&
           sets->kernel_id[node] != NO_KERNEL;
}

static bool leads_to_itself(const struct callgraph *graph, uint32_t node)
{
    for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++)
        if (graph->component[graph->callees.targets[e]] == graph->component[node])
            return true;
    return false;
}

/* Returns the union of the node's component. It is allocated on demand, because most components
 * reach no interesting function and need none. */
static struct kernel_union *union_of(link_context *link, struct kernel_sets *sets, uint32_t node)
{
    struct kernel_union **slot = &sets->by_component[link->callgraph.component[node]];
    if (!*slot)
        *slot = ARENA_NEW(&link->arena, struct kernel_union);
    return *slot;
}

/* Adds the kernels of a component to the component's set. One kind of kernel needs care: a system
 * function that the program defines. It is in the sets of its callees, but in its own set only if
 * it calls itself, directly or through others (observed in some hundred links). */
static void add_kernels(link_context *link, struct kernel_sets *sets, uint32_t first, uint32_t last)
{
    const struct callgraph *graph = &link->callgraph;
    struct kernel_union *own = union_of(link, sets, graph->order[first]);
    for (uint32_t i = first; i < last; i++) {
        uint32_t node = graph->order[i];
        if (node_is_kernel(link, sets, node) &&
            (!link->functions[node]->is_system || leads_to_itself(graph, node)))
            kernel_union_add_kernel(&link->arena, own, sets->kernel_id[node]);
    }
}

static void spread_to_callees(link_context *link, const bool *concerned, struct kernel_sets *sets,
                              uint32_t node)
{
    const struct callgraph *graph = &link->callgraph;
    bool is_system = node_is_kernel(link, sets, node) && link->functions[node]->is_system;
    for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++) {
        uint32_t callee = graph->callees.targets[e];
        if (!concerned[callee] || graph->component[callee] == graph->component[node])
            continue;
        struct kernel_union *sum = union_of(link, sets, callee);
        kernel_union_add(&link->arena, sum, sets->set[node]);
        if (is_system)
            kernel_union_add_kernel(&link->arena, sum, sets->kernel_id[node]);
    }
}

/* Adds the kernels of one component to the sets of its callees. The component consists of the nodes
 * [first, last) of the order, which share one set. Components are visited in reverse order, callers
 * first, so the component's callers have already added their kernels to the set. */
static void spread_component(link_context *link, const bool *concerned, struct kernel_sets *sets,
                             uint32_t first, uint32_t last)
{
    const struct callgraph *graph = &link->callgraph;
    add_kernels(link, sets, first, last);
    const struct kernel_set *set = kernel_union_set(union_of(link, sets, graph->order[first]));
    for (uint32_t i = first; i < last; i++)
        sets->set[graph->order[i]] = set;
    for (uint32_t i = first; i < last; i++)
        spread_to_callees(link, concerned, sets, graph->order[i]);
}

static struct kernel_set *isolate_kernel(link_context *link, struct kernel_sets *sets, uint32_t id)
{
    struct kernel_set *set = ARENA_NEW(&link->arena, struct kernel_set);
    kernel_set_add(&link->arena, set, id);
    sets->set[sets->kernels[id]->index] = set;
    return set;
}

/* Adds each demoted entry to its own set, which already contains the kernels that call the entry.
 * This is the last step, so that the entry does not get into the sets of its callees. */
static void add_demoted_entries(link_context *link, struct kernel_sets *sets)
{
    for (uint32_t id = 0; id < sets->kernel_count; id++) {
        const struct kernel_set *callers = sets->set[sets->kernels[id]->index];
        if (sets->kernels[id]->kernel)
            continue;
        struct kernel_set *set = isolate_kernel(link, sets, id);
        if (callers)
            kernel_set_unite(&link->arena, set, callers);
    }
}

void kernel_sets_isolate_kernels(link_context *link, const bool *interesting,
                                 struct kernel_sets *sets)
{
    for (uint32_t id = 0; id < sets->kernel_count; id++)
        if (interesting[sets->kernels[id]->index] && !sets->kernels[id]->is_system)
            isolate_kernel(link, sets, id);
}

/* Visits the components from callers to callees and passes each set on to the callees. */
void kernel_sets_find(link_context *link, const bool *interesting, struct kernel_sets *sets)
{
    const struct callgraph *graph = &link->callgraph;
    *sets = (struct kernel_sets){.kernels = NULL};
    bool *concerned = find_concerned(link, interesting);
    number_kernels(link, interesting, concerned, sets);
    sets->set = ARENA_ARRAY(&link->arena, const struct kernel_set *, graph->node_count);
    sets->by_component =
        ARENA_ARRAY(&link->arena, struct kernel_union *, (size_t)graph->component_count + 1);
    uint32_t last = graph->order_count;
    while (last) {
        uint32_t first = last - 1, component = graph->component[graph->order[first]];
        while (first && graph->component[graph->order[first - 1]] == component)
            first--;
        if (concerned[graph->order[first]]) /* if one node of a component is, all are */
            spread_component(link, concerned, sets, first, last);
        last = first;
    }
    add_demoted_entries(link, sets);
}
