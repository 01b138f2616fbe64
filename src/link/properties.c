/* What a kernel needs, computed over everything that it reaches.
 *
 * Requires: merged attributes, the order of the call graph. Makes: registers, barriers, stack size,
 * externs and flags of kernels in .nv.info and .nv.info.K. Mutates: records.
 *
 * Maxima and stack depths go over the strongly connected components once, callees first. Rules
 * observed with nvlink 13.0.88; docs/format.md lists them attribute by attribute. */
#include <assert.h>
#include <stdlib.h>

#include "link/link.h"

#define STACK_UNKNOWN UINT32_C(0xffffffff)
enum { NO_REGISTER_LIMIT = 0xff, ALIAS_SPARSE_MASK = 0x8000 };

/* What a component and everything that it reaches need. */
struct needs {
    uint32_t registers;
    uint32_t barriers;
    uint32_t sparse_mask;
    uint32_t barrier_sequence; /* first record of its kind, in reading order; 0 none */
    uint32_t externs_sequence;
    uint64_t stack; /* STACK_UNKNOWN when a cycle is reached */
    bool has_sparse_mask;
};

struct property_pass {
    link_context *link;
    struct needs *needs; /* by component */
    struct needs everything; /* of all kept functions, for a link with one kernel */
};

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Everything but the stack, which adds up along a path. */
static void include(struct needs *sum, const struct needs *part)
{
    if (part->registers > sum->registers)
        sum->registers = part->registers;
    if (part->barriers > sum->barriers)
        sum->barriers = part->barriers;
    sum->sparse_mask |= part->sparse_mask;
    sum->has_sparse_mask |= part->has_sparse_mask;
    sum->barrier_sequence = earlier(sum->barrier_sequence, part->barrier_sequence);
    sum->externs_sequence = earlier(sum->externs_sequence, part->externs_sequence);
}

static struct needs own_needs(const struct function *function)
{
    return (struct needs){
        .registers = function->register_count,
        .barriers = function->barrier_count,
        .sparse_mask = function->sparse_mask,
        .has_sparse_mask = function->has_sparse_mask,
        .barrier_sequence = function->barrier_sequence,
        .externs_sequence = function->externs_sequence,
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

/* nvlink warns once for each call, direct or through a pointer, to a function whose stack is
 * unknown, so a kernel can be named several times. */
static unsigned unknown_callees(const struct property_pass *pass, uint32_t node)
{
    const struct callgraph *graph = &pass->link->callgraph;
    unsigned count = 0;
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->callees.targets[i];
        if (callee >= graph->function_count)
            count += unknown_callees(pass, callee); /* a prototype; it calls functions only */
        else
            count += pass->needs[graph->component[callee]].stack == STACK_UNKNOWN;
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
    if (link->options.suppress_stack_size_warning)
        return;
    for (unsigned i = unknown_callees(pass, kernel->index); i > 0; i--)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_SIZE_UNKNOWN,
                          kernel->symbol->object->name, kernel->symbol->name->name.text,
                          kernel->symbol->name->name.text);
}

static void set_stack_of(struct property_pass *pass, struct symbol *symbol)
{
    if (symbol && symbol->function && symbol->function->entry && symbol->function->info)
        set_stack(pass, symbol->function);
}

/* In the order of the final symbol table: locals and weak kernels first. */
static void set_stacks(struct property_pass *pass)
{
    const struct output *output = &pass->link->output;
    for (size_t i = 0; i < output->locals_count; i++)
        set_stack_of(pass, output->locals[i].symbol);
    for (size_t i = 0; i < output->globals_count; i++)
        set_stack_of(pass, output->globals[i]);
}

/* --------------------------------------------------------------------------------------------- */
/* Externs                                                                                       */

/* A kernel's list while it is being made. */
struct extern_list {
    GROWING_ARRAY(struct symbol *, symbols);
    bool inherited; /* some function added an entry */
};

/* The lists are short (functions of the driver), so a walk finds what is there already. */
static bool add_extern(link_context *link, struct extern_list *list, struct symbol *symbol)
{
    for (size_t i = 0; i < list->symbols_count; i++)
        if (list->symbols[i] == symbol)
            return false;
    *ARENA_APPEND(ARENA, list, symbols) = symbol;
    return true;
}

static void inherit_externs(link_context *link, struct extern_list *list,
                            const struct function *from)
{
    for (size_t i = 0; i < from->externs_count; i++)
        list->inherited |= add_extern(link, list, from->externs[i]);
}

static int by_descending_creation(const void *a, const void *b)
{
    const struct symbol *first = *(struct symbol *const *)a, *second = *(struct symbol *const *)b;
    uint32_t x = first->function ? first->function->creation : 0;
    uint32_t y = second->function ? second->function->creation : 0;
    return x < y ? 1 : x > y ? -1 : 0;
}

static struct output_record externs_record(const struct extern_list *list)
{
    return (struct output_record){.symbols = list->symbols,
                                  .symbol_count = (uint32_t)list->symbols_count,
                                  .value = (uint16_t)(4 * list->symbols_count),
                                  .format = INFO_FORMAT_SIZED,
                                  .code = EIATTR_EXTERNS};
}

/* In place when the kernel has a record, else behind. In a link with one kernel a list that grew
 * goes behind too, and what goes behind is in descending order of creation. */
static void set_externs(link_context *link, struct function *kernel, struct extern_list *list)
{
    struct output_record *own = record_at(kernel->info, kernel->externs_record);
    bool behind = !own || (link->live_entry_count == 1 && list->inherited);
    if (own && (behind || !list->symbols_count))
        own->code = EIATTR_ERROR;
    if (!list->symbols_count)
        return;
    if (behind && link->live_entry_count == 1)
        qsort(list->symbols, list->symbols_count, sizeof *list->symbols, by_descending_creation);
    if (behind)
        append_record(link, kernel->info, externs_record(list));
    else
        *own = externs_record(list);
}

static int by_externs_sequence(const void *a, const void *b)
{
    const struct function *first = *(struct function *const *)a;
    const struct function *second = *(struct function *const *)b;
    return first->externs_sequence < second->externs_sequence ? -1 : 1;
}

/* Functions with entries, in the order in which their attributes were read. */
static struct function **functions_with_externs(link_context *link, size_t *count)
{
    struct function **functions = ARENA_ARRAY(ARENA, struct function *, link->functions_count);
    *count = 0;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kept && link->functions[i]->externs_count)
            functions[(*count)++] = link->functions[i];
    qsort(functions, *count, sizeof *functions, by_externs_sequence);
    return functions;
}

static struct extern_list *collect_externs(link_context *link)
{
    size_t count;
    struct function **functions = functions_with_externs(link, &count);
    struct extern_list *lists = ARENA_ARRAY(ARENA, struct extern_list, link->functions_count);
    bool *interesting = ARENA_ARRAY(ARENA, bool, link->functions_count);
    for (size_t i = 0; i < count; i++) {
        interesting[functions[i]->index] = true;
        struct extern_list *own = &lists[functions[i]->index];
        if (functions[i]->entry)
            inherit_externs(link, own, functions[i]);
        own->inherited = false;
    }
    struct kernel_sets sets;
    callgraph_kernel_sets(link, interesting, &sets);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *set = sets.set[functions[i]->index];
        for (uint32_t id = 0; set && id < sets.kernel_count; id++)
            if (set[id / 64] >> id % 64 & 1)
                inherit_externs(link, &lists[sets.kernels[id]->index], functions[i]);
    }
    if (link->live_entry_count == 1)
        for (size_t k = 0; k < link->functions_count; k++)
            for (size_t i = 0; link->functions[k]->entry && i < count; i++)
                inherit_externs(link, &lists[k], functions[i]);
    return lists;
}

/* --------------------------------------------------------------------------------------------- */
/* Barriers and masks                                                                            */

static void set_barriers(link_context *link, struct function *kernel, const struct needs *needs)
{
    struct output_record *own = record_at(kernel->info, kernel->barrier_record);
    if (own)
        own->value = (uint16_t)((own->value & 0xff00) | needs->barriers);
    else if (needs->barrier_sequence)
        append_record(link, kernel->info,
                      (struct output_record){.value = (uint16_t)needs->barriers,
                                             .format = INFO_FORMAT_BYTE,
                                             .code = EIATTR_NUM_BARRIERS});
}

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

/* Appended records stand in this order: the stack's, then barriers and externs in the order in which
 * the first record of each kind was read from what the kernel reaches; with one kernel in the link
 * barriers come first. */
static void complete_kernel(struct property_pass *pass, struct function *kernel,
                            struct extern_list *externs)
{
    link_context *link = pass->link;
    struct needs needs = pass->needs[link->callgraph.component[kernel->index]];
    bool single = link->live_entry_count == 1;
    set_registers(link, kernel, &needs);
    if (single) {
        if (pass->everything.barriers > needs.barriers)
            needs.barriers = pass->everything.barriers;
        needs.barrier_sequence = pass->everything.barrier_sequence;
    }
    set_sparse_mask(kernel, &needs);
    bool barriers_first = single || !needs.externs_sequence ||
                          (needs.barrier_sequence &&
                           needs.barrier_sequence < needs.externs_sequence);
    if (barriers_first)
        set_barriers(link, kernel, &needs);
    set_externs(link, kernel, externs);
    if (!barriers_first)
        set_barriers(link, kernel, &needs);
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
    for (uint32_t i = 0; i < graph->order_count; i++)
        visit_node(&pass, graph->order[i]);
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kept) {
            struct needs own = own_needs(link->functions[i]);
            include(&pass.everything, &own);
        }
    struct extern_list *externs = collect_externs(link);
    set_stacks(&pass);
    for (size_t i = link->functions_count; i-- > 0;)
        if (link->functions[i]->entry && link->functions[i]->info)
            complete_kernel(&pass, link->functions[i], &externs[i]);
}
