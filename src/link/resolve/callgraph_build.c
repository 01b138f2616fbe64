/* Builds the call graph.
 *
 * pass_resolve calls callgraph_read for an object as soon as it has resolved the object's names,
 * because these are then in the CPU's cache.
 *
 * Requires: RESOLVED (functions, and the pairs that were read).
 * Makes: GRAPHED, the prototypes of functions whose address is taken, the graph as two adjacency
 * arrays.
 * Frozen after: CALL_GRAPH.
 *
 * callgraph_order computes the order and the components of the finished graph. */
#include "link/resolve/callgraph_build.h"

#include <assert.h>

#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "format/section_type.h"
#include "link/model/callgraph.h"
#include "link/model/function_data.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"
#include "link/resolve/discarded_ranges.h"
#include "link/resolve/resolve_state.h"

/* --------------------------------------------------------------------------------------------- */
/* Reading the inputs' pairs                                                                     */

/* The state while the pairs of an object are read. */
struct pair_reader {
    link_context *link;
    struct input_object *object;
    /* For each symbol of the object: true if a function of the object takes its address. Discarded
     * functions do not count. NULL: no function takes an address. */
    bool *address_used;
};

static bool pair_is_discarded(const struct pair_reader *reader, uint32_t symbol)
{
    return reader->object->copies[symbol] == COPY_DISCARDED;
}

static struct function *function_of(const struct pair_reader *reader, uint32_t symbol)
{
    struct symbol *found = reader->object->symbols[symbol];
    return found ? found->function : NULL;
}

/* Adds the prototype in a pair to the strings at the start of .strtab, which include all
 * prototypes, even those of removed functions. A kernel whose address is taken has an empty
 * prototype, for which an empty string is added, unless the copy of the kernel is discarded
 * (observed in 430 links of one and two files). */
static struct linked_name *add_prototype(const struct pair_reader *reader, struct elf_pair pair)
{
    link_context *link = reader->link;
    const char *text = elf_view_string(&reader->object->elf, VIEW_NATIVE, (uint32_t)pair.second);
    struct linked_name *name = link_intern(link, text);
    bool is_known = name_uses(link, name)->is_prototype;
    if (!is_known && (name->name.size || !pair_is_discarded(reader, pair.first))) {
        name_add_uses(link, name)->is_prototype = true;
        *ARENA_APPEND(&link->arena, &link->output, prototypes) = name;
    }
    return name;
}

/* Returns the prototype in a pair of the groups ADDRESS_TAKEN and INDIRECT_CALLERS, and adds its
 * string to .strtab. For a discarded copy it returns NULL and adds no string. */
static struct linked_name *prototype_of_pair_read(const struct pair_reader *reader,
                                                  struct elf_pair pair)
{
    return pair_is_discarded(reader, pair.first) ? NULL : add_prototype(reader, pair);
}

/* Whether a pair becomes part of the call graph. Pairs of a discarded copy do not, with one
 * exception. If a function of the object that is not discarded takes the address of the copy, the
 * address counts as taken (observed). That function then takes the address of the copy that the
 * program uses. */
static bool pair_counts(const struct pair_reader *reader, int group, uint32_t first)
{
    if (!pair_is_discarded(reader, first))
        return true;
    return group == GROUP_ADDRESS_TAKEN && reader->address_used && reader->address_used[first];
}

/* Adds a function to the list of functions whose address is taken, unless the list already has it.
 * Several objects can take the address. The prototype is not set here: set_prototypes sets it when
 * all objects are read. */
static void take_address(link_context *link, struct function *function)
{
    assert(function);
    if (function->address_taken)
        return;
    function->address_taken = true;
    *ARENA_APPEND(&link->arena, &link->callgraph.groups[GROUP_ADDRESS_TAKEN], pairs) =
        (struct call_pair){.first = function};
}

static void add_pair(struct pair_reader *reader, int group, struct elf_pair pair)
{
    link_context *link = reader->link;
    bool by_prototype = group == GROUP_ADDRESS_TAKEN || group == GROUP_INDIRECT_CALLERS;
    struct linked_name *prototype = by_prototype ? prototype_of_pair_read(reader, pair) : NULL;
    struct function *first = function_of(reader, pair.first);
    struct function *second = by_prototype ? NULL : function_of(reader, (uint32_t)pair.second);
    if (!first || (!by_prototype && !second) || !pair_counts(reader, group, pair.first))
        return;
    if (group == GROUP_ADDRESS_TAKEN) {
        take_address(link, first);
        return;
    }
    if (group == GROUP_TAKES_ADDRESS)
        take_address(link, second);
    *ARENA_APPEND(&link->arena, &link->callgraph.groups[group], pairs) =
        (struct call_pair){first, second, prototype};
}

/* Calls the function `visit` for each pair, with the pair's group. Skips pairs with a special
 * number: these only begin a group. */
static void each_pair(struct pair_reader *reader, const struct elf_section *section,
                      void (*visit)(struct pair_reader *, int, struct elf_pair))
{
    int group = NO_GROUP;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (pair.first == 0 && pair.second < 0)
            group = -pair.second - 1;
        else if (group < CALLGRAPH_GROUP_COUNT)
            visit(reader, group, pair);
    }
}

static void note_address_use(struct pair_reader *reader, int group, struct elf_pair pair)
{
    link_context *link = reader->link;
    if (group != GROUP_TAKES_ADDRESS || pair_is_discarded(reader, pair.first))
        return;
    if (!reader->address_used)
        reader->address_used =
            ARENA_ARRAY(&link->arena, bool, reader->object->elf.symbols[VIEW_NATIVE].count);
    reader->address_used[pair.second] = true;
}

/* Reads a section of prototypes, but only adds their strings to .strtab. check_inputs.c sets the
 * prototypes of the functions. */
static void read_prototypes(const struct pair_reader *reader, const struct elf_section *section)
{
    for (uint32_t i = 0; i < section->entry_count; i++)
        add_prototype(reader, elf_section_pair(section, i));
}

/* Notes that the address of a function is taken if a relocation refers to the function's
 * descriptor, even if no call graph section says so (observed with each type of relocation). */
static void read_descriptors(link_context *link, struct input_object *object,
                             const struct elf_section *relocations)
{
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        const struct relocation_type *type = relocation_type_find_native(entry.type);
        const struct symbol *symbol = object->symbols[entry.symbol];
        struct function *function = symbol ? symbol->function : NULL;
        if (function && !function->address_taken && type && type->class == RELOCATION_DESCRIPTOR &&
            relocation_is_read(object, relocations, &entry))
            take_address(link, function);
    }
}

static bool is_of_discarded_copy(const struct input_object *object,
                                 const struct elf_section *section)
{
    uint32_t index = 0;
    input_section_function(object, section, &index);
    return object->copies[index] == COPY_DISCARDED;
}

/* Reads the relocations that take addresses. Also collects the lists of relocations that refer to
 * variables, so that layout_shared need not search for them. */
static void read_references(link_context *link, struct input_object *object,
                            const struct elf_section *relocations)
{
    if (is_of_discarded_copy(object, relocations))
        return;
    if (relocations->has_descriptors)
        read_descriptors(link, object, relocations);
    if (relocations->has_variables)
        *ARENA_APPEND(&link->arena, link->resolve, of_variables) =
            (struct section_input){object, relocations};
}

void callgraph_read(link_context *link, struct input_object *object)
{
    struct pair_reader reader = {link, object, NULL};
    for (uint32_t i = 0; i < object->elf.early_section_count; i++) {
        const struct elf_section *section = elf_view_early_section(&object->elf, i);
        if (section->type == SHT_CUDA_CALLGRAPH) {
            each_pair(&reader, section, note_address_use);
            each_pair(&reader, section, add_pair);
        } else if (section->type == SHT_CUDA_PROTOTYPE) {
            read_prototypes(&reader, section);
        } else if (section->type == SHT_CUDA_FUNCTION_DATA) {
            function_data_read_texts(link, object, section);
        } else if (input_section_kind(section) == INPUT_RELOCATIONS) {
            read_references(link, object, section);
        }
    }
}

/* --------------------------------------------------------------------------------------------- */
/* The graph                                                                                     */

/* Sets the prototype of each function whose address is taken to the last one that was read (an
 * empty text for a kernel). If no object has one, sets no_prototype. */
static void set_prototypes(link_context *link)
{
    const struct call_group *taken = &link->callgraph.groups[GROUP_ADDRESS_TAKEN];
    for (size_t i = 0; i < taken->pairs_count; i++) {
        struct linked_name *prototype = taken->pairs[i].first->prototype;
        taken->pairs[i].prototype = prototype ? prototype : &link->resolve->no_prototype.name;
    }
}

static uint32_t prototype_node(link_context *link, struct linked_name *prototype)
{
    struct name_uses *uses = name_add_uses(link, prototype);
    if (!uses->prototype_node)
        uses->prototype_node = link->callgraph.node_count++;
    return uses->prototype_node;
}

/* Collects the edges of the graph. The indirect calls of a function precede its direct ones,
 * because nvlink visits callees from the last to the first, and direct ones before indirect
 * ones. */
static void collect_edges(link_context *link, struct edge_list *edges)
{
    struct callgraph *graph = &link->callgraph;
    const struct call_group *callers = &graph->groups[GROUP_INDIRECT_CALLERS];
    for (size_t i = 0; i < callers->pairs_count; i++)
        edge_list_add(link, edges, callers->pairs[i].first->index,
                      prototype_node(link, callers->pairs[i].prototype));
    const struct call_group *calls = &graph->groups[GROUP_CALLS];
    for (size_t i = 0; i < calls->pairs_count; i++)
        edge_list_add(link, edges, calls->pairs[i].first->index, calls->pairs[i].second->index);
    const struct call_group *taken = &graph->groups[GROUP_ADDRESS_TAKEN];
    for (size_t i = 0; i < taken->pairs_count; i++) {
        uint32_t node = name_uses(link, taken->pairs[i].prototype)->prototype_node;
        if (node)
            edge_list_add(link, edges, node, taken->pairs[i].first->index);
    }
}

void pass_callgraph_build(link_context *link)
{
    struct callgraph *graph = &link->callgraph;
    set_prototypes(link);
    graph->function_count = (uint32_t)link->functions_count;
    graph->node_count = graph->function_count;
    if (!graph->node_count) /* node 0 must be a function: as a prototype_node, 0 means "none" */
        return;
    struct edge_list edges = {.from = NULL};
    collect_edges(link, &edges);
    adjacency_make(link, &graph->callees, graph->node_count, edges.from, edges.to,
                   edges.from_count);
    adjacency_make(link, &graph->callers, graph->node_count, edges.to, edges.from,
                   edges.from_count);
}

/* --------------------------------------------------------------------------------------------- */
/* Components: Tarjan's algorithm with an explicit stack */

struct component_search {
    struct callgraph *graph;
    uint32_t *number; /* by node: number in the order of discovery; 0: not yet discovered */
    uint32_t *low;    /* by node: the smallest number that is reachable over open nodes */
    uint32_t *next;   /* by node: the next edge to follow */
    uint32_t *path;   /* the nodes from the root to the current one */
    uint32_t path_size;
    uint32_t *open; /* the nodes whose component is not complete, as a stack */
    uint32_t open_size;
    uint32_t discovered;
};

/* The value in graph->component of a node whose component is not complete. */
enum { COMPONENT_OPEN = 0 };

static void discover(struct component_search *search, uint32_t node)
{
    search->number[node] = search->low[node] = ++search->discovered;
    search->next[node] = search->graph->callees.start[node];
    search->path[search->path_size++] = node;
    search->open[search->open_size++] = node;
}

static bool calls_itself(const struct callgraph *graph, uint32_t node)
{
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++)
        if (graph->callees.targets[i] == node)
            return true;
    return false;
}

/* Completes the component of `root`: it consists of `root` and of all nodes that were opened
 * later. */
static void close_component(struct component_search *search, uint32_t root)
{
    struct callgraph *graph = search->graph;
    uint32_t component = ++graph->component_count;
    uint32_t size = 0, node;
    do {
        node = search->open[--search->open_size];
        graph->component[node] = component;
        graph->order[graph->order_count++] = node;
        size++;
    } while (node != root);
    graph->cyclic[component] = size > 1 || calls_itself(graph, root);
}

/* Finds the components of all nodes that are reachable from `root` and were not visited before. */
static void follow_calls(struct component_search *search, uint32_t root)
{
    struct callgraph *graph = search->graph;
    discover(search, root);
    while (search->path_size) {
        uint32_t node = search->path[search->path_size - 1];
        if (search->next[node] < graph->callees.start[node + 1]) {
            uint32_t callee = graph->callees.targets[search->next[node]++];
            if (!search->number[callee])
                discover(search, callee);
            else if (graph->component[callee] == COMPONENT_OPEN &&
                     search->number[callee] < search->low[node])
                search->low[node] = search->number[callee];
            continue;
        }
        if (search->low[node] == search->number[node])
            close_component(search, node);
        search->path_size--;
        uint32_t caller = search->path_size ? search->path[search->path_size - 1] : node;
        if (search->low[node] < search->low[caller])
            search->low[caller] = search->low[node];
    }
}

/* Searches from each kernel. Tarjan's algorithm completes a component after all components that it
 * calls, so callees precede callers in the order. */
void callgraph_order(link_context *link)
{
    struct callgraph *graph = &link->callgraph;
    uint32_t count = graph->node_count;
    graph->order = ARENA_ARRAY(&link->arena, uint32_t, count);
    graph->component = ARENA_ARRAY(&link->arena, uint32_t, count);
    graph->cyclic = ARENA_ARRAY(&link->arena, bool, (size_t)count + 1);
    struct component_search search = {
        .graph = graph,
        .number = ARENA_ARRAY(&link->arena, uint32_t, count),
        .low = ARENA_ARRAY(&link->arena, uint32_t, count),
        .next = ARENA_ARRAY(&link->arena, uint32_t, count),
        .path = ARENA_ARRAY(&link->arena, uint32_t, count),
        .open = ARENA_ARRAY(&link->arena, uint32_t, count),
    };
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        if (function->kernel && !search.number[function->index])
            follow_calls(&search, function->index);
    }
}
