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

enum { NO_REGISTER_LIMIT = 0xff, DEFAULT_SPARSE_MASK = 0x8000 };

/* What a component and everything that it reaches need. */
struct needs {
    uint32_t registers;
    uint32_t sparse_mask;
    struct inherited_needs inherited;
};

/* A walk over what a kernel reaches, callees before callers and the callee that was read last
 * first; made only to explain an error. */
struct limit_walk {
    const struct callgraph *graph;
    uint32_t *seen_for; /* by node: the last kernel + 1 whose walk was there */
    uint32_t *path;
    uint32_t *left;     /* by node: callees not yet followed */
    uint32_t *deferred; /* prototypes called on the way; what they reach comes last */
    uint32_t depth;
    uint32_t deferred_count;
    uint32_t kernel;
};

struct property_pass {
    link_context *link;
    struct needs *needs; /* by component */
    struct limit_walk walk;
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

static void enter(struct limit_walk *walk, uint32_t node)
{
    walk->seen_for[node] = walk->kernel + 1;
    walk->left[node] = walk->graph->callees.start[node + 1] - walk->graph->callees.start[node];
    walk->path[walk->depth++] = node;
}

static void defer(struct limit_walk *walk, uint32_t prototype)
{
    walk->seen_for[prototype] = walk->kernel + 1;
    walk->deferred[walk->deferred_count++] = prototype;
}

/* Goes on with a deferred prototype when there is nothing else left; false at the end. */
static bool has_next(struct limit_walk *walk)
{
    if (!walk->depth && walk->deferred_count)
        enter(walk, walk->deferred[--walk->deferred_count]);
    return walk->depth > 0;
}

/* The next node that has all its callees behind it. */
static uint32_t next_node(struct limit_walk *walk)
{
    for (;;) {
        uint32_t node = walk->path[walk->depth - 1];
        if (!walk->left[node]) {
            walk->depth--;
            return node;
        }
        uint32_t edge = walk->graph->callees.start[node] + --walk->left[node];
        uint32_t callee = walk->graph->callees.targets[edge];
        if (walk->seen_for[callee] == walk->kernel + 1)
            continue;
        if (callee < walk->graph->function_count)
            enter(walk, callee);
        else
            defer(walk, callee);
    }
}

/* Names the functions that break a kernel's register limit: on the way each that needs more than
 * all before it. */
static void report_register_limit(struct property_pass *pass, const struct function *kernel)
{
    link_context *link = pass->link;
    const struct callgraph *graph = &link->callgraph;
    struct limit_walk *walk = &pass->walk;
    if (!walk->graph) {
        walk->graph = graph;
        walk->seen_for = ARENA_ARRAY(ARENA, uint32_t, graph->node_count);
        walk->path = ARENA_ARRAY(ARENA, uint32_t, graph->node_count);
        walk->left = ARENA_ARRAY(ARENA, uint32_t, graph->node_count);
        walk->deferred = ARENA_ARRAY(ARENA, uint32_t, graph->node_count);
    }
    walk->kernel = kernel->index;
    uint32_t most = kernel->register_limit;
    enter(walk, kernel->index);
    while (has_next(walk)) {
        uint32_t node = next_node(walk);
        if (node >= graph->function_count || node == kernel->index ||
            link->functions[node]->register_count <= most)
            continue;
        most = link->functions[node]->register_count;
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_REGISTER_LIMIT,
                          kernel->symbol->object->name, kernel->symbol->name->name.text,
                          kernel->symbol->name->name.text, kernel->register_limit,
                          link->functions[node]->symbol->name->name.text, most);
    }
}

static void set_registers(struct property_pass *pass, struct function *kernel,
                          const struct needs *needs)
{
    link_context *link = pass->link;
    struct output_record *record = record_at(link->output.info, kernel->register_record);
    if (!kernel->has_register_count || !record) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_REGISTER_COUNT,
                          kernel->symbol->object->name, kernel->symbol->name->name.text);
        return;
    }
    bool limited = kernel->register_limit && kernel->register_limit != NO_REGISTER_LIMIT;
    if (limited && needs->registers > kernel->register_limit)
        report_register_limit(pass, kernel);
    record->payload = record_two_words(link, load_u32(record->payload), needs->registers);
}

/* --------------------------------------------------------------------------------------------- */
/* Masks                                                                                         */

static void append_sparse_mask(link_context *link, struct function *function, uint32_t mask)
{
    record_append(link, function->info,
                  (struct output_record){.value = (uint16_t)mask,
                                         .format = INFO_FORMAT_HALF,
                                         .code = EIATTR_SPARSE_MMA_MASK});
}

static void set_sparse_mask(link_context *link, struct function *kernel, const struct needs *needs)
{
    struct output_record *own = record_at(kernel->info, kernel->sparse_record);
    if (own)
        own->value = (uint16_t)needs->sparse_mask;
    else if (needs->sparse_mask)
        append_sparse_mask(link, kernel, needs->sparse_mask);
}

static bool any_sparse_mask(const link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kept && link->functions[i]->sparse_record)
            return true;
    return false;
}

/* Once any function has a mask, each that comes without one gets the same. An alias comes without:
 * its mask goes to the attributes of the function behind it (observed on sm_80 and sm_90). */
static void add_missing_masks(link_context *link)
{
    bool any = any_sparse_mask(link);
    for (size_t i = 0; any && i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        struct function *target = function->alias_of ? function->alias_of : function;
        if (!function->kept || !target->info || function->sparse_record)
            continue;
        target->sparse_mask |= DEFAULT_SPARSE_MASK;
        if (!target->kernel || target != function)
            append_sparse_mask(link, target, DEFAULT_SPARSE_MASK);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Barriers                                                                                      */

/* Old objects count barriers in the flags of the code section. Of a device function without a
 * record the count moves into one; of one with a record the larger counts; a kernel's has no effect
 * (observed with patched objects of sm_75 to sm_90). */
static void read_barrier_flags(link_context *link, struct function *function)
{
    struct inherited *own = &function->inherited[INHERITED_BARRIERS];
    uint32_t count = 0;
    if (function->kept && !function->kernel && !function->alias_of && function->text)
        count = (uint32_t)(function->text->flags & SHF_BARRIERS) >> SHF_BARRIERS_SHIFT;
    if (count > own->value)
        own->value = count;
    if (!count || own->record || !function->info)
        return;
    own->sequence = 1;
    function->text->flags &= ~(uint64_t)SHF_BARRIERS;
    record_append(link, function->info,
                  (struct output_record){.value = (uint16_t)count,
                                         .format = INFO_FORMAT_BYTE,
                                         .code = EIATTR_NUM_BARRIERS});
}

/* --------------------------------------------------------------------------------------------- */

static void complete_kernel(struct property_pass *pass, struct function *kernel,
                            struct inheritance *inheritance)
{
    link_context *link = pass->link;
    const struct needs *needs = &pass->needs[link->callgraph.component[kernel->index]];
    kernel->needed_registers = needs->registers;
    set_registers(pass, kernel, needs);
    set_sparse_mask(link, kernel, needs);
    inherit(inheritance, kernel, &needs->inherited);
}

void properties(link_context *link)
{
    assert(link->stage == STAGE_LAID_OUT);
    const struct callgraph *graph = &link->callgraph;
    if (!link->functions_count)
        return;
    add_missing_masks(link);
    for (size_t i = 0; i < link->functions_count; i++)
        read_barrier_flags(link, link->functions[i]);
    struct property_pass pass = {.link = link};
    pass.needs = ARENA_ARRAY(ARENA, struct needs, (size_t)graph->component_count + 1);
    for (uint32_t i = 0; i < graph->order_count; i++)
        visit_node(&pass, graph->order[i]);
    struct inheritance *inheritance = inheritance_prepare(link);
    for (size_t i = link->functions_count; i-- > 0;)
        if (link->functions[i]->kernel && link->functions[i]->info)
            complete_kernel(&pass, link->functions[i], inheritance);
}
