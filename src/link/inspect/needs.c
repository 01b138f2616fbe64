/* Finds which functions and variables make a kernel need its registers, stack and shared memory;
 * see needs.h. */
#include "link/inspect/needs.h"

#include "base/arena.h"
#include "link/inspect/piece_lists.h"
#include "link/inspect/pieces.h"
#include "link/model/callgraph.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/notes/code_origin.h"
#include "link/resources/resources_state.h"
#include "link/resources/stack_notes.h"

static struct warpld_need *add_need(link_context *link, struct need_list *list,
                                    const struct symbol *symbol, uint64_t amount)
{
    struct warpld_need *need = ARENA_APPEND(&link->arena, list, parts);
    *need = (struct warpld_need){
        .name = symbol_name(symbol), .input = code_origin(link, symbol), .amount = amount};
    return need;
}

/* --------------------------------------------------------------------------------------------- */
/* Paths                                                                                         */

typedef uint64_t amount_of(const struct function *function);

static uint64_t registers_of_code(const struct function *function)
{
    return function->register_count;
}

static uint64_t frame_of_code(const struct function *function)
{
    return function->frame_size;
}

static void reverse_needs(struct need_list *list, uint32_t first)
{
    for (uint32_t i = first, j = list->parts_count; i + 1 < j; i++) {
        struct warpld_need part = list->parts[i];
        list->parts[i] = list->parts[--j];
        list->parts[j] = part;
    }
}

/* Adds the functions on the path from the start of the walk to the node. The start itself is left
 * out if `without_start` is true. Nodes of prototypes are not functions and are skipped. */
static void add_path(link_context *link, struct need_list *list, uint32_t node, amount_of *amount,
                     bool without_start)
{
    uint32_t functions = link->callgraph.function_count, first = list->parts_count;
    for (bool more = true; more; node = list->walk.from[node]) {
        more = !call_walk_is_start(&list->walk, node);
        if (node >= functions || (!more && without_start))
            continue;
        const struct function *function = link->functions[node];
        struct warpld_need *need = add_need(link, list, function->symbol, amount(function));
        need->is_called_indirectly = more && list->walk.from[node] >= functions;
    }
    reverse_needs(list, first);
}

/* --------------------------------------------------------------------------------------------- */
/* Registers                                                                                     */

static const struct function *with_more_registers(const struct function *first,
                                                  const struct function *second)
{
    if (!first || !second)
        return first ? first : second;
    return second->register_count > first->register_count ? second : first;
}

/* Finds, for each strongly connected component, which of the functions that it reaches has the most
 * registers. Walks the graph once, callees first, as pass_properties does. */
static void find_most_registers(link_context *link, struct need_list *list)
{
    const struct callgraph *graph = &link->callgraph;
    const struct function **most =
        ARENA_ARRAY(&link->arena, const struct function *, (size_t)graph->component_count + 1);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t node = graph->order[i], component = graph->component[node];
        if (node < graph->function_count)
            most[component] = with_more_registers(most[component], link->functions[node]);
        for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++)
            most[component] = with_more_registers(
                most[component], most[graph->component[graph->callees.targets[e]]]);
    }
    list->most_registers = most;
}

const struct function *register_raiser(link_context *link, struct need_list *list,
                                       const struct function *kernel)
{
    if (kernel->needed_registers <= kernel->register_count)
        return NULL;
    if (!list->most_registers)
        find_most_registers(link, list);
    const struct function *most = list->most_registers[link->callgraph.component[kernel->index]];
    return most && most->register_count == kernel->needed_registers ? most : NULL;
}

/* Adds the path of calls from the kernel to the nearest function with a register count equal to the
 * kernel's need. */
static void explain_registers(link_context *link, struct need_list *list,
                              const struct function *kernel)
{
    call_walk_from(link, &list->walk, kernel->index);
    uint32_t nearest = kernel->index;
    for (uint32_t i = list->walk.count; i-- > 0;) {
        uint32_t node = list->walk.queue[i];
        if (node < link->callgraph.function_count &&
            link->functions[node]->register_count == kernel->needed_registers)
            nearest = node;
    }
    add_path(link, list, nearest, registers_of_code, false);
}

/* --------------------------------------------------------------------------------------------- */
/* Stack                                                                                         */

/* Adds the kernel and the chain of calls that makes its stack deepest. The chain ends: the kernel's
 * stack depth is known, so no cycle of calls can be reached. */
static void explain_known_stack(link_context *link, struct need_list *list,
                                const struct function *kernel)
{
    uint32_t functions = link->callgraph.function_count, node = kernel->index, next;
    add_need(link, list, kernel->symbol, kernel->frame_size);
    while ((next = deepest_callee(&link->callgraph, link->resources->stack_needs, node)) != node) {
        if (next < functions) {
            const struct symbol *symbol = link->functions[next]->symbol;
            add_need(link, list, symbol, link->functions[next]->frame_size)->is_called_indirectly =
                node >= functions;
        }
        node = next;
    }
}

static bool calls(const struct callgraph *graph, uint32_t caller, uint32_t callee)
{
    for (uint32_t i = graph->callees.start[caller]; i < graph->callees.start[caller + 1]; i++)
        if (graph->callees.targets[i] == callee)
            return true;
    return false;
}

/* Adds a shortest cycle of calls through the function at `node`, which was added before. The cycle
 * is the path from this function to the nearest function that calls it. */
static void add_cycle(link_context *link, struct need_list *list, uint32_t node)
{
    uint32_t first = list->parts_count ? list->parts_count - 1 : 0;
    call_walk_from(link, &list->walk, node);
    for (uint32_t i = 0; i < list->walk.count; i++)
        if (calls(&link->callgraph, list->walk.queue[i], node)) {
            add_path(link, list, list->walk.queue[i], frame_of_code, true);
            break;
        }
    for (uint32_t i = first; i < list->parts_count; i++)
        list->parts[i].is_recursive = true;
}

static void explain_unknown_stack(link_context *link, struct need_list *list,
                                  const struct function *kernel)
{
    const struct callgraph *graph = &link->callgraph;
    call_walk_from(link, &list->walk, kernel->index);
    for (uint32_t i = 0; i < list->walk.count; i++) {
        uint32_t node = list->walk.queue[i];
        if (node >= graph->function_count ||
            !(graph->cyclic[graph->component[node]] || link->functions[node]->recurses))
            continue;
        add_path(link, list, node, frame_of_code, false);
        add_cycle(link, list, node);
        return;
    }
    add_need(link, list, kernel->symbol, kernel->frame_size);
}

static void explain_stack(link_context *link, struct need_list *list, const struct function *kernel)
{
    const uint64_t *need = link->resources->stack_needs;
    if (!need) /* with -r */
        add_need(link, list, kernel->symbol, kernel->frame_size);
    else if (need[link->callgraph.component[kernel->index]] == STACK_UNKNOWN)
        explain_unknown_stack(link, list, kernel);
    else
        explain_known_stack(link, list, kernel);
}

/* --------------------------------------------------------------------------------------------- */
/* Shared memory                                                                                 */

static const char *user_of(const struct shared_variable *variable)
{
    return variable->users_count ? symbol_name(variable->users[0]->symbol) : NULL;
}

static void explain_shared(link_context *link, struct need_list *list, struct piece_walk *pieces,
                           const struct function *kernel)
{
    const struct output_section *section = kernel->shared;
    piece_lists_make(link, pieces);
    for (uint32_t i = 0; section && i < pieces->shared_count; i++) {
        const struct placed_shared *placed = &pieces->shared[i];
        if (placed->section != section->index)
            continue;
        struct warpld_need *need =
            add_need(link, list, placed->variable->symbol, placed->variable->size);
        need->address = placed->address;
        need->user = user_of(placed->variable);
    }
}

/* --------------------------------------------------------------------------------------------- */

static void explain_need(link_context *link, struct need_list *list, struct piece_walk *pieces)
{
    list->parts_count = 0;
    switch (list->resource) {
    case WARPLD_RESOURCE_REGISTERS:
        explain_registers(link, list, list->kernel);
        break;
    case WARPLD_RESOURCE_STACK:
        explain_stack(link, list, list->kernel);
        break;
    case WARPLD_RESOURCE_SHARED:
        explain_shared(link, list, pieces, list->kernel);
        break;
    }
}

bool describe_need(link_context *link, struct need_list *list, struct piece_walk *pieces,
                   const struct function *kernel, enum warpld_resource resource, size_t index,
                   struct warpld_need *need)
{
    if (list->kernel != kernel || list->resource != resource) {
        list->kernel = kernel;
        list->resource = resource;
        explain_need(link, list, pieces);
    }
    if (index >= list->parts_count)
        return false;
    *need = list->parts[index];
    return true;
}
