/* Explains why a symbol is kept; see why.h. The rules that decide what is kept are in gc.c. */
#include "link/inspect/why.h"

#include "base/arena.h"
#include "format/elf_view.h"
#include "link/inspect/removed.h"
#include "link/model/callgraph.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"
#include "link/notes/code_origin.h"
#include "link/resolve/resolve_state.h"

static struct warpld_step *add_step(link_context *link, struct kept_chain *chain,
                                    const struct symbol *symbol, enum warpld_why why)
{
    struct warpld_step *step = ARENA_APPEND(&link->arena, chain, steps);
    *step = (struct warpld_step){
        .name = symbol_name(symbol), .input = code_origin(link, symbol), .why = why};
    return step;
}

/* --------------------------------------------------------------------------------------------- */
/* Roots, which are kept without a caller                                                        */

static bool is_root(const struct function *function)
{
    return function->kept && (function->kernel || function->is_stub);
}

static enum warpld_why why_of_kernel(const link_context *link, const struct function *kernel)
{
    const struct warpld_options *options = &link->options;
    if (kernel->is_system || kernel->is_stub)
        return WARPLD_WHY_DRIVER;
    if (kernel->unnamed)
        return WARPLD_WHY_ADDRESS_TAKEN;
    if (options->relocatable || link_is_for_debugger(link))
        return WARPLD_WHY_OPTION;
    if (options->kernels_used_count || options->variables_used_count)
        return WARPLD_WHY_KERNELS_USED;
    return link->resolve->has_host_references ? WARPLD_WHY_HOST_REFERENCE : WARPLD_WHY_KERNEL;
}

/* Returns the reason for keeping a function that no kernel reaches. */
static enum warpld_why why_of_unreached(const struct function *function)
{
    if (function->address_taken)
        return WARPLD_WHY_ADDRESS_TAKEN;
    return function->symbol->defined ? WARPLD_WHY_OPTION : WARPLD_WHY_UNDEFINED;
}

/* Returns the name of a function that takes the address of `function`. Returns NULL if only data
 * contains the address, or if no such function is known. */
static const char *address_taker(const link_context *link, const struct function *function)
{
    const struct call_group *takers = &link->callgraph.groups[GROUP_TAKES_ADDRESS];
    for (size_t i = 0; i < takers->pairs_count; i++)
        if (takers->pairs[i].second == function)
            return symbol_name(takers->pairs[i].first->symbol);
    return NULL;
}

static void add_root(link_context *link, struct kept_chain *chain, const struct function *function,
                     enum warpld_why why)
{
    struct warpld_step *step = add_step(link, chain, function->symbol, why);
    if (why == WARPLD_WHY_ADDRESS_TAKEN)
        step->by = address_taker(link, function);
}

/* --------------------------------------------------------------------------------------------- */
/* Chains of calls                                                                               */

/* Follows calls backwards through kept functions, from the start nodes of the walk to their
 * callers, and so on. Returns the nearest root, which is a kept kernel or a stub, or node_count if
 * no root is found. */
static uint32_t nearest_root(link_context *link, struct call_walk *walk)
{
    const struct callgraph *graph = &link->callgraph;
    for (uint32_t next = 0; next < walk->count; next++) {
        uint32_t node = walk->queue[next];
        bool is_function = node < graph->function_count;
        if (is_function && is_root(link->functions[node]))
            return node;
        if (!is_function || link->functions[node]->kept)
            call_walk_expand(walk, &graph->callers, next);
    }
    return graph->node_count;
}

/* Adds the root and the calls that lead from it to a start node of the walk. The node of a
 * prototype is not a step: it shows that the next function is called through a pointer. */
static void add_calls(link_context *link, struct kept_chain *chain, uint32_t root)
{
    const struct callgraph *graph = &link->callgraph;
    const struct function *kernel = link->functions[root];
    bool through_pointer = false;
    add_root(link, chain, kernel, why_of_kernel(link, kernel));
    for (uint32_t node = root; !call_walk_is_start(&chain->walk, node);) {
        node = chain->walk.from[node];
        if (node < graph->function_count)
            add_step(link, chain, link->functions[node]->symbol,
                     through_pointer ? WARPLD_WHY_CALLED_INDIRECTLY : WARPLD_WHY_CALLED);
        through_pointer = node >= graph->function_count;
    }
}

static const struct function *kept_alias_of(const link_context *link,
                                            const struct function *function)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->alias_of == function && link->functions[i]->kept)
            return link->functions[i];
    return NULL;
}

/* Adds the shortest chain of calls from a root to a start node. Returns false if there is none. */
static bool add_chain(link_context *link, struct kept_chain *chain)
{
    uint32_t root = nearest_root(link, &chain->walk);
    if (root < link->callgraph.node_count)
        add_calls(link, chain, root);
    return root < link->callgraph.node_count;
}

static bool add_chain_to(link_context *link, struct kept_chain *chain,
                         const struct function *function)
{
    call_walk_start(link, &chain->walk);
    call_walk_visit(&chain->walk, function->index, function->index);
    return add_chain(link, chain);
}

static void explain_function(link_context *link, struct kept_chain *chain,
                             const struct function *function)
{
    const struct function *alias = kept_alias_of(link, function);
    if (add_chain_to(link, chain, function))
        return;
    if (!alias || function->address_taken) {
        add_root(link, chain, function, why_of_unreached(function));
        return;
    }
    if (!add_chain_to(link, chain, alias))
        add_root(link, chain, alias, why_of_unreached(alias));
    add_step(link, chain, function->symbol, WARPLD_WHY_ALIAS);
}

/* --------------------------------------------------------------------------------------------- */
/* Variables                                                                                     */

/* If a relocation in `relocations` refers to the symbol, adds the function whose code the
 * relocations patch to the start nodes of the walk. Ignores relocations that patch no used
 * function. */
static void start_at_user(struct call_walk *walk, const struct input_object *object,
                          const struct elf_section *relocations, const struct symbol *symbol)
{
    uint32_t index = 0;
    const struct symbol *owner =
        input_section_function(object, &object->elf.sections[relocations->info], &index);
    if (!owner || !owner->function || !input_function_is_used(object, index))
        return;
    for (uint32_t i = 0; i < relocations->entry_count; i++)
        if (object->symbols[elf_section_relocation(relocations, i).symbol] == symbol) {
            call_walk_visit(walk, owner->function->index, owner->function->index);
            return;
        }
}

/* Adds the steps that lead to a function whose code uses the variable. The start nodes of the walk
 * are all such functions. A function that a root reaches by calls is preferred. Returns false if no
 * function uses the variable. */
static bool add_user(link_context *link, struct kept_chain *chain)
{
    if (!chain->walk.count)
        return false;
    uint32_t first = chain->walk.queue[0];
    if (!add_chain(link, chain))
        explain_function(link, chain, link->functions[first]);
    return true;
}

static void explain_variable(link_context *link, struct kept_chain *chain,
                             const struct symbol *symbol)
{
    call_walk_start(link, &chain->walk);
    for (size_t o = 0; o < link->objects_count; o++) {
        const struct input_object *object = link->objects[o];
        for (uint32_t i = 1; i < object->elf.section_count; i++)
            if (input_section_kind(&object->elf.sections[i]) == INPUT_RELOCATIONS)
                start_at_user(&chain->walk, object, &object->elf.sections[i], symbol);
    }
    bool is_used = add_user(link, chain);
    add_step(link, chain, symbol, is_used ? WARPLD_WHY_USED : WARPLD_WHY_VARIABLE);
}

/* --------------------------------------------------------------------------------------------- */
/* The symbol                                                                                    */

static const struct function *kept_function(const link_context *link,
                                            const struct linked_name *name)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->symbol->name == name && link->functions[i]->kept)
            return link->functions[i];
    return NULL;
}

static bool variable_is_kept(const link_context *link, const struct symbol *symbol)
{
    return symbol && !symbol->function && symbol->object &&
           (symbol->common ||
            (symbol->defined && definition_is_kept(link, symbol->object, symbol->input_index)));
}

static void make_chain(link_context *link, struct kept_chain *chain)
{
    const struct function *function = kept_function(link, chain->name);
    const struct name_uses *uses = name_uses(link, chain->name);
    chain->steps_count = 0;
    if (function)
        explain_function(link, chain, function);
    else if (variable_is_kept(link, uses->symbol))
        explain_variable(link, chain, uses->symbol);
    else if (variable_is_kept(link, uses->first_local))
        explain_variable(link, chain, uses->first_local);
}

bool describe_step(link_context *link, struct kept_chain *chain, const char *symbol, size_t index,
                   struct warpld_step *step)
{
    const struct linked_name *name = link_find_name(link, symbol);
    if (!name)
        return false;
    if (chain->name != name) {
        chain->name = name;
        make_chain(link, chain);
    }
    if (index >= chain->steps_count)
        return false;
    *step = chain->steps[index];
    return true;
}
