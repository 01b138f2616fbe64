/* What a kernel needs, computed over everything that it reaches.
 *
 * Requires: merged attributes, the order of the call graph. Makes: registers and stack size of
 * kernels in .nv.info, and with inherit.c what .nv.info.K inherits. Mutates: records.
 *
 * Maxima and stack depths go over the strongly connected components once, callees first. Rules
 * observed with nvlink 13.0.88; docs/format.md lists them attribute by attribute. */
#include <assert.h>

#include "link/inherit.h"

#define STACK_UNKNOWN UINT32_C(0xffffffff)
enum { NO_REGISTER_LIMIT = 0xff, ALIAS_SPARSE_MASK = 0x8000 };

/* What a component and everything that it reaches need. */
struct needs {
    uint32_t registers;
    uint32_t sparse_mask;
    uint64_t stack; /* STACK_UNKNOWN when a cycle is reached */
    struct inherited_needs inherited;
};

struct property_pass {
    link_context *link;
    struct needs *needs;   /* by component */
    uint32_t *counted_for; /* by function: the last kernel + 1 that a warning counted it for */
};

/* Everything but the stack, which adds up along a path. */
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
    uint64_t frame = 0, deepest = 0;
    if (node < graph->function_count) {
        const struct function *function = pass->link->functions[node];
        struct needs own = own_needs(function);
        include(needs, &own);
        frame = function->frame_size;
    }
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->component[graph->callees.targets[i]];
        if (callee == component)
            continue;
        include(needs, &pass->needs[callee]);
        if (pass->needs[callee].stack > deepest)
            deepest = pass->needs[callee].stack;
    }
    bool unknown = graph->cyclic[component] || deepest == STACK_UNKNOWN;
    needs->stack = unknown ? STACK_UNKNOWN : frame + deepest;
}

/* --------------------------------------------------------------------------------------------- */
/* Records                                                                                       */

static struct output_record *record_at(struct output_section *section, uint32_t position)
{
    return position ? &section->records[position - 1] : NULL;
}

static const uint8_t *two_words(link_context *link, uint32_t first, uint32_t second)
{
    uint8_t *payload = ARENA_ARRAY(ARENA, uint8_t, 8);
    store_u32(payload, first);
    store_u32(payload + 4, second);
    return payload;
}

static void append_record(link_context *link, struct output_section *section,
                          struct output_record record)
{
    *ARENA_APPEND(ARENA, section, appended_records) = record;
}

static void append_symbol_word(link_context *link, struct output_section *section, uint8_t code,
                               struct function *function, uint32_t value)
{
    struct symbol **symbols = ARENA_ARRAY(ARENA, struct symbol *, 1);
    symbols[0] = function->symbol;
    append_record(link, section,
                  (struct output_record){.payload = two_words(link, 0, value),
                                         .symbols = symbols,
                                         .symbol_count = 1,
                                         .value = 8,
                                         .format = INFO_FORMAT_SIZED,
                                         .code = code});
}

static void append_plain_word(link_context *link, struct output_section *section, uint8_t code,
                              uint32_t value)
{
    append_record(link, section,
                  (struct output_record){.payload = two_words(link, value, 0),
                                         .value = 4,
                                         .format = INFO_FORMAT_SIZED,
                                         .code = code});
}

/* --------------------------------------------------------------------------------------------- */
/* Registers                                                                                     */

/* Names the functions that break a kernel's register limit; walks only when one does. */
static void report_register_limit(link_context *link, const struct function *kernel)
{
    const struct callgraph *graph = &link->callgraph;
    bool *seen = ARENA_ARRAY(ARENA, bool, graph->node_count);
    uint32_t *queue = ARENA_ARRAY(ARENA, uint32_t, graph->node_count);
    uint32_t size = 0, next = 0;
    queue[size++] = kernel->index;
    seen[kernel->index] = true;
    while (next < size) {
        uint32_t node = queue[next++];
        if (node < graph->function_count && node != kernel->index &&
            link->functions[node]->register_count > kernel->register_limit)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_REGISTER_LIMIT,
                              kernel->symbol->object->name, kernel->symbol->name->name.text,
                              kernel->symbol->name->name.text, kernel->register_limit,
                              link->functions[node]->symbol->name->name.text,
                              link->functions[node]->register_count);
        for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
            uint32_t callee = graph->callees.targets[i];
            if (!seen[callee])
                queue[size++] = callee;
            seen[callee] = true;
        }
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
    record->payload = two_words(link, load_u32(record->payload), needs->registers);
}

/* --------------------------------------------------------------------------------------------- */
/* Stack                                                                                         */

static bool stack_is_unknown(const struct property_pass *pass, uint32_t node)
{
    return pass->needs[pass->link->callgraph.component[node]].stack == STACK_UNKNOWN;
}

/* Functions with that prototype whose stack is unknown. */
static unsigned unknown_targets(const struct property_pass *pass, uint32_t prototype)
{
    const struct adjacency *callees = &pass->link->callgraph.callees;
    unsigned count = 0;
    for (uint32_t i = callees->start[prototype]; i < callees->start[prototype + 1]; i++)
        count += stack_is_unknown(pass, callees->targets[i]);
    return count;
}

/* nvlink warns once for each function called directly and once for each that a call through a
 * pointer can reach, when its stack is unknown; so a kernel can be named several times. */
static unsigned unknown_callees(const struct property_pass *pass, uint32_t kernel)
{
    const struct callgraph *graph = &pass->link->callgraph;
    unsigned count = 0;
    for (uint32_t i = graph->callees.start[kernel]; i < graph->callees.start[kernel + 1]; i++) {
        uint32_t callee = graph->callees.targets[i];
        if (callee >= graph->function_count) {
            count += unknown_targets(pass, callee);
        } else if (pass->counted_for[callee] != kernel + 1) {
            pass->counted_for[callee] = kernel + 1;
            count += stack_is_unknown(pass, callee);
        }
    }
    return count;
}

static void set_stack(struct property_pass *pass, struct function *kernel)
{
    link_context *link = pass->link;
    const struct needs *needs = &pass->needs[link->callgraph.component[kernel->index]];
    append_symbol_word(link, link->output.info, EIATTR_MIN_STACK_SIZE, kernel,
                       (uint32_t)needs->stack);
    if (needs->stack != STACK_UNKNOWN)
        return;
    struct output_record *own = record_at(kernel->info, kernel->call_stack_record);
    if (own)
        own->payload = two_words(link, STACK_UNKNOWN, 0);
    else
        append_plain_word(link, kernel->info, EIATTR_CRS_STACK_SIZE, STACK_UNKNOWN);
}

static bool is_kernel(const struct function *function)
{
    return function && function->kernel && function->info;
}

/* Records stand in the order of the final symbol table: local and weak kernels first. */
static void set_stacks(struct property_pass *pass)
{
    const struct output *output = &pass->link->output;
    for (size_t i = 0; i < output->locals_count; i++)
        if (output->locals[i].symbol && is_kernel(output->locals[i].symbol->function))
            set_stack(pass, output->locals[i].symbol->function);
    for (size_t i = 0; i < output->globals_count; i++)
        if (is_kernel(output->globals[i]->function))
            set_stack(pass, output->globals[i]->function);
}

/* Warnings come in the order in which the kernels were read. */
static void warn_of_stacks(struct property_pass *pass)
{
    link_context *link = pass->link;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *kernel = link->functions[i];
        if (!is_kernel(kernel) || !stack_is_unknown(pass, kernel->index))
            continue;
        for (unsigned count = unknown_callees(pass, kernel->index); count > 0; count--)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_SIZE_UNKNOWN,
                              kernel->symbol->object->name, kernel->symbol->name->name.text,
                              kernel->symbol->name->name.text);
    }
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
        append_record(link, target->info,
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
    set_registers(link, kernel, needs);
    set_sparse_mask(kernel, needs);
    inherit(inheritance, kernel, &needs->inherited);
}

void properties(link_context *link)
{
    assert(link->stage == STAGE_MERGED);
    const struct callgraph *graph = &link->callgraph;
    if (!link->functions_count)
        return;
    add_alias_masks(link);
    struct property_pass pass = {.link = link};
    pass.needs = ARENA_ARRAY(ARENA, struct needs, (size_t)graph->component_count + 1);
    pass.counted_for = ARENA_ARRAY(ARENA, uint32_t, link->functions_count);
    for (uint32_t i = 0; i < graph->order_count; i++)
        visit_node(&pass, graph->order[i]);
    struct inheritance *inheritance = inheritance_prepare(link);
    set_stacks(&pass);
    if (!link->options.suppress_stack_size_warning)
        warn_of_stacks(&pass);
    for (size_t i = link->functions_count; i-- > 0;)
        if (is_kernel(link->functions[i]))
            complete_kernel(&pass, link->functions[i], inheritance);
}
