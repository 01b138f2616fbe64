/* Kernels that need more registers for a function they reach than for their own code.
 *
 * Part of properties, for links in which some kernel breaks its limit, or whose caller wants to
 * know who raises whom. nvlink goes through the functions in the order in which their definitions
 * were read and raises the counts of the kernels that reach each, the kernel read last first;
 * raising one above its limit is the error. So of several functions only those are named that need
 * more than all named before (240 random call graphs of one and two files, direct and indirect
 * calls, recursion: nvlink 13.0.88). */
#include "link/register_limits.h"

#include "link/call_path.h"
#include "link/limit_parts.h"

/* Whether the kernel, with all that it reaches, needs more registers than it is limited to. */
static bool is_broken(const struct function *kernel)
{
    return kernel->register_limit != NO_REGISTER_LIMIT &&
           kernel->needed_registers > kernel->register_limit;
}

/* Counts below every broken limit break none. */
static uint32_t lowest_broken_limit(const link_context *link)
{
    uint32_t lowest = UINT32_MAX;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        if (function->kernel && is_broken(function) && function->register_limit < lowest)
            lowest = function->register_limit;
    }
    return lowest;
}

static void find_kernels(link_context *link, uint32_t limit, struct kernel_sets *sets)
{
    bool *interesting = ARENA_ARRAY(ARENA, bool, link->functions_count);
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        interesting[i] = function->kept && function->register_count > limit;
    }
    kernel_sets_find(link, interesting, sets);
}

/* Counts below that of every kernel raise none. */
static uint32_t lowest_count(const link_context *link)
{
    uint32_t lowest = UINT32_MAX;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        if (function->kernel && function->register_count < lowest)
            lowest = function->register_count;
    }
    return lowest;
}

static uint32_t registers_of(const struct function *function)
{
    return function->register_count;
}

static void report_limit(link_context *link, const struct function *kernel,
                         const struct function *function)
{
    if (!is_broken(kernel) || function->register_count <= kernel->register_limit)
        return;
    const char *name = symbol_name(kernel->symbol);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REGISTER_LIMIT, kernel->symbol->object->name,
                      name, name, kernel->register_limit, symbol_name(function->symbol),
                      function->register_count);
    if (!limit_may_be_explained(link))
        return;
    struct call_search calls;
    call_search_from(&calls, link, kernel);
    struct call_path path = call_search_path(&calls, function->index);
    call_path_report(link, &path, registers_of, "registers");
}

static void tell_raised(link_context *link, const struct function *kernel,
                        const struct function *function)
{
    const struct warpld_options *options = &link->options;
    struct warpld_raised_registers raised = {
        .size = sizeof raised,
        .kernel = symbol_name(kernel->symbol),
        .function = symbol_name(function->symbol),
        .register_count = function->register_count,
    };
    TRACE(TRACE_REGISTERS_RAISED, raised.register_count, raised.function, raised.kernel);
    if (options->raised_registers)
        options->raised_registers(options->call_graph_context, &raised);
}

/* counts: what each kernel needs for the functions seen so far, by kernel number. */
static void raise_counts(link_context *link, const struct kernel_sets *sets, uint32_t *counts,
                         const struct function *function)
{
    static const struct kernel_set NONE = {NULL, 0, 0};
    const struct kernel_set *set = sets->set[function->index] ? sets->set[function->index] : &NONE;
    EACH_KERNEL_BACKWARDS(id, set)
    {
        const struct function *kernel = sets->kernels[id];
        bool keeps_own = kernel->needed_registers < function->register_count;
        if (keeps_own || kernel == function || function->register_count <= counts[id])
            continue;
        counts[id] = function->register_count;
        report_limit(link, kernel, function);
        tell_raised(link, kernel, function);
    }
}

static void raise_all(link_context *link, const struct kernel_sets *sets, uint32_t *counts,
                      uint32_t limit)
{
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; s < object->elf.symbols[VIEW_NATIVE].count; s++) {
            const struct symbol *symbol = object->symbols[s];
            const struct function *function = symbol ? symbol->function : NULL;
            if (function && copy_is_accepted(object->copies[s]) && function->kept &&
                function->register_count > limit)
                raise_counts(link, sets, counts, function);
        }
    }
}

void register_limits(link_context *link)
{
    bool wanted = link->options.raised_registers || trace_has(&link->trace, TRACE_CATEGORY_INFO);
    uint32_t limit = wanted ? lowest_count(link) : lowest_broken_limit(link);
    if (limit == UINT32_MAX)
        return;
    struct kernel_sets sets;
    find_kernels(link, limit, &sets);
    uint32_t *counts = ARENA_ARRAY(ARENA, uint32_t, sets.kernel_count);
    for (uint32_t id = 0; id < sets.kernel_count; id++)
        counts[id] = sets.kernels[id]->register_count;
    raise_all(link, &sets, counts, limit);
}
