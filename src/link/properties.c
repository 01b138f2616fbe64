/* What a kernel needs, computed over everything that it reaches.
 *
 * Requires: merged attributes, the order of the call graph. Makes: registers of kernels in
 * .nv.info, and with inherit.c what .nv.info.K inherits. Mutates: records.
 *
 * Maxima go over the strongly connected components once, callees first. Rules
 * observed with nvlink 13.0.88; docs/format.md lists them attribute by attribute. */
#include <assert.h>

#include "link/inherit.h"
#include "link/records.h"

enum { NO_REGISTER_LIMIT = 0xff, ALIAS_SPARSE_MASK = 0x8000 };

/* What a component and everything that it reaches need. */
struct needs {
    uint32_t registers;
    uint32_t sparse_mask;
    struct inherited_needs inherited;
};

struct property_pass {
    link_context *link;
    struct needs *needs; /* by component */
};

static void include(struct needs *sum, const struct needs *part)
{
    if (part->registers > sum->registers)
        sum->registers = part->registers;
    sum->sparse_mask |= part->sparse_mask;
    inherited_include(&sum->inherited, &part->inherited);
}

static struct needs own_needs(const struct function *function)
{
    return (struct needs){
        .registers = function->register_count,
        .sparse_mask = function->sparse_mask,
        .inherited = inherited_of(function),
    };
}

static void visit_node(struct property_pass *pass, uint32_t node)
{
    const struct callgraph *graph = &pass->link->callgraph;
    uint32_t component = graph->component[node];
    struct needs *needs = &pass->needs[component];
    if (node < graph->function_count) {
        struct needs own = own_needs(pass->link->functions[node]);
        include(needs, &own);
    }
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->component[graph->callees.targets[i]];
        if (callee != component)
            include(needs, &pass->needs[callee]);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Registers                                                                                     */

/* Everything that a kernel reaches, by node; a walk that is made only to explain an error. */
static bool *reached_from(link_context *link, const struct function *kernel)
{
    const struct callgraph *graph = &link->callgraph;
    bool *reached = ARENA_ARRAY(ARENA, bool, graph->node_count);
    uint32_t *queue = ARENA_ARRAY(ARENA, uint32_t, graph->node_count);
    uint32_t size = 0;
    queue[size++] = kernel->index;
    reached[kernel->index] = true;
    while (size) {
        uint32_t node = queue[--size];
        for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
            uint32_t callee = graph->callees.targets[i];
            if (!reached[callee])
                queue[size++] = callee;
            reached[callee] = true;
        }
    }
    return reached;
}

/* Names the functions that break a kernel's register limit, callees before their callers. */
static void report_register_limit(link_context *link, const struct function *kernel)
{
    const struct callgraph *graph = &link->callgraph;
    const bool *reached = reached_from(link, kernel);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t node = graph->order[i];
        if (!reached[node] || node >= graph->function_count)
            continue;
        const struct function *callee = link->functions[node];
        if (callee != kernel && callee->register_count > kernel->register_limit)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_REGISTER_LIMIT,
                              kernel->symbol->object->name, kernel->symbol->name->name.text,
                              kernel->symbol->name->name.text, kernel->register_limit,
                              callee->symbol->name->name.text, callee->register_count);
    }
}

static void set_registers(link_context *link, struct function *kernel, const struct needs *needs)
{
    struct output_record *record = record_at(link->output.info, kernel->register_record);
    if (!kernel->has_register_count || !record) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_REGISTER_COUNT,
                          kernel->symbol->object->name, kernel->symbol->name->name.text);
        return;
    }
    bool limited = kernel->register_limit && kernel->register_limit != NO_REGISTER_LIMIT;
    if (limited && needs->registers > kernel->register_limit)
        report_register_limit(link, kernel);
    record->payload = record_two_words(link, load_u32(record->payload), needs->registers);
}

/* --------------------------------------------------------------------------------------------- */
/* Masks                                                                                         */

static void set_sparse_mask(struct function *kernel, const struct needs *needs)
{
    struct output_record *own = record_at(kernel->info, kernel->sparse_record);
    if (own)
        own->value = (uint16_t)needs->sparse_mask;
}

/* An alias gives the attributes of the function behind it a mask of its own (observed on sm_90). */
static void add_alias_masks(link_context *link)
{
    if (link->target->relocations != RELOCATIONS_RELA)
        return;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *alias = link->functions[i];
        struct function *target = alias->alias_of;
        if (!target || !alias->kept || !target->info)
            continue;
        record_append(link, target->info,
                      (struct output_record){.value = ALIAS_SPARSE_MASK,
                                             .format = INFO_FORMAT_HALF,
                                             .code = EIATTR_SPARSE_MMA_MASK});
        target->sparse_mask |= ALIAS_SPARSE_MASK;
    }
}

/* --------------------------------------------------------------------------------------------- */

static void complete_kernel(struct property_pass *pass, struct function *kernel,
                            struct inheritance *inheritance)
{
    link_context *link = pass->link;
    const struct needs *needs = &pass->needs[link->callgraph.component[kernel->index]];
    kernel->needed_registers = needs->registers;
    set_registers(link, kernel, needs);
    set_sparse_mask(kernel, needs);
    inherit(inheritance, kernel, &needs->inherited);
}

void properties(link_context *link)
{
    assert(link->stage == STAGE_LAID_OUT);
    const struct callgraph *graph = &link->callgraph;
    if (!link->functions_count)
        return;
    add_alias_masks(link);
    struct property_pass pass = {.link = link};
    pass.needs = ARENA_ARRAY(ARENA, struct needs, (size_t)graph->component_count + 1);
    for (uint32_t i = 0; i < graph->order_count; i++)
        visit_node(&pass, graph->order[i]);
    struct inheritance *inheritance = inheritance_prepare(link);
    for (size_t i = link->functions_count; i-- > 0;)
        if (link->functions[i]->kernel && link->functions[i]->info)
            complete_kernel(&pass, link->functions[i], inheritance);
}
