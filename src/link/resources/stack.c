/* Computes how much stack each kernel needs.
 *
 * Requires: MERGED (attributes, .nv.info sections, the order of kernels).
 * Makes: STACKED, MIN_STACK_SIZE records, SAM_REGION_STACK_SIZE records for kernels that reach a
 * function with one, and CRS_STACK_SIZE records for kernels that reach a function with one or whose
 * stack is unknown. Warns about kernels whose stack is unknown.
 * Frozen after: nothing more.
 *
 * A function needs its own frame and the stack of the callee that needs most. An undefined function
 * needs nothing. The need of a function that reaches a cycle of calls is unknown. Each strongly
 * connected component of the call graph is visited once, callees before callers. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/info_record.h"
#include "link/merge/merge_state.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/model/symbols.h"
#include "link/resources/resources_state.h"
#include "link/resources/stack_notes.h"

enum { UNKNOWN_RECORDED = -1 }; /* 0xffffffff in the records */

struct stack_pass {
    link_context *link;
    uint64_t *need;        /* by component: the stack, or STACK_UNKNOWN */
    uint64_t *call_need;   /* by component: the call stack, computed from CRS_STACK_SIZE */
    uint32_t *region_need; /* by component: the largest stack region reached, see visit_regions */
    uint32_t *unknown; /* by prototype: 1 + the number of its functions that have an unknown stack;
                          0 if unknown_targets has not counted them yet */
    uint64_t repeats;  /* number of warnings, without the first warning about each kernel */
    struct function **kernels; /* in the order of the final symbol table */
    size_t kernel_count;
};

/* Sets the region_need of a node's component: the largest stack region (SAM_REGION_STACK_SIZE) of
 * the functions that the node reaches through calls. This includes the region of the node itself
 * only if it is in a cycle of calls (observed for kernels in 700 links). */
static void visit_regions(struct stack_pass *pass, uint32_t node)
{
    const struct callgraph *graph = &pass->link->callgraph;
    uint32_t *largest = &pass->region_need[graph->component[node]];
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->callees.targets[i];
        uint32_t own = callee < graph->function_count
                           ? function_rare(pass->link->functions[callee])->region_stack_size
                           : 0;
        uint32_t reached = pass->region_need[graph->component[callee]];
        uint32_t need = own > reached ? own : reached;
        if (need > *largest)
            *largest = need;
    }
}

/* Computes the needs of a node, and stores them for the node's component. The needs of the callees
 * must be complete. */
static void visit_stack(struct stack_pass *pass, uint32_t node)
{
    const struct callgraph *graph = &pass->link->callgraph;
    uint32_t component = graph->component[node];
    uint64_t deepest = 0, deepest_call = 0;
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->component[graph->callees.targets[i]];
        if (pass->need[callee] > deepest)
            deepest = pass->need[callee];
        if (pass->call_need[callee] > deepest_call)
            deepest_call = pass->call_need[callee];
    }
    if (pass->link->merge->has_regions)
        visit_regions(pass, node);
    bool is_function = node < graph->function_count;
    const struct function *function = is_function ? pass->link->functions[node] : NULL;
    uint64_t frame = function ? function->frame_size : 0;
    pass->call_need[component] =
        (function ? function_rare(function)->call_stack_size : 0) + deepest_call;
    bool unknown = graph->cyclic[component] || (function && function->recurses) ||
                   deepest == STACK_UNKNOWN ||
                   frame + deepest >= UINT32_MAX; /* no record can hold it */
    if (function && graph->cyclic[component])
        trace_line(&pass->link->trace, TRACE_RECURSION, (unsigned)node + 1);
    pass->need[component] = unknown ? STACK_UNKNOWN : frame + deepest;
}

static bool stack_is_unknown(const struct stack_pass *pass, uint32_t node)
{
    return pass->need[pass->link->callgraph.component[node]] == STACK_UNKNOWN;
}

/* --------------------------------------------------------------------------------------------- */
/* Records                                                                                       */

static uint32_t recorded_stack(const struct function *kernel)
{
    return kernel->stack_is_known ? kernel->stack_size : (uint32_t)UNKNOWN_RECORDED;
}

/* Records the size of a kernel's call stack: changes the compiler's record, or appends a record if
 * there is none. */
static void set_call_stack(link_context *link, struct function *kernel, uint32_t size)
{
    struct output_record *own = record_at(kernel->info, function_rare(kernel)->call_stack_record);
    if (own && own->code == EIATTR_SYNC_STACK) {
        uint32_t upper = function_rare(kernel)->call_stack_upper;
        record_set_word(link, own, 0, upper | (size & SYNC_STACK_SIZE));
        return;
    }
    if (own) {
        record_set_word(link, own, 0, size);
        return;
    }
    uint8_t *payload = ARENA_ARRAY(&link->arena, uint8_t, 4);
    store_u32(payload, size);
    record_append(link, kernel->info,
                  (struct output_record){.payload = payload,
                                         .value = 4,
                                         .format = INFO_FORMAT_SIZED,
                                         .code = EIATTR_CRS_STACK_SIZE});
}

static void set_stack(struct stack_pass *pass, struct function *kernel)
{
    link_context *link = pass->link;
    uint64_t need = pass->need[link->callgraph.component[kernel->index]];
    kernel->stack_is_known = need != STACK_UNKNOWN;
    kernel->stack_size = kernel->stack_is_known ? (uint32_t)need : kernel->frame_size;
    record_append_about(link, link->output.info, EIATTR_MIN_STACK_SIZE, kernel->symbol,
                        recorded_stack(kernel));
    uint32_t component = link->callgraph.component[kernel->index];
    if (pass->region_need[component])
        record_append_about(link, link->output.info, EIATTR_SAM_REGION_STACK_SIZE, kernel->symbol,
                            pass->region_need[component]);
    uint64_t call_need = pass->call_need[component];
    if (kernel->is_stub)
        return; /* the section that all stubs share has no record of a call stack (observed) */
    if (!kernel->stack_is_known)
        set_call_stack(link, kernel, (uint32_t)UNKNOWN_RECORDED);
    else if (call_need)
        set_call_stack(link, kernel, (uint32_t)call_need);
}

static bool is_kernel_with_info(const struct function *function)
{
    return function && function->kernel && function->info;
}

static void find_kernels_of_symbols(struct stack_pass *pass)
{
    const link_context *link = pass->link;
    const struct output *output = &link->output;
    for (size_t i = 0; i < output->local_symbols_count; i++)
        if (is_kernel_with_info(output->local_symbols[i]->function))
            pass->kernels[pass->kernel_count++] = output->local_symbols[i]->function;
    for (size_t i = 0; i < output->globals_count; i++)
        if (is_kernel_with_info(output->globals[i]->function))
            pass->kernels[pass->kernel_count++] = output->globals[i]->function;
}

/* --------------------------------------------------------------------------------------------- */
/* Warnings                                                                                      */

/* `node` is the node of a prototype. Returns the number of functions that have this prototype and
 * an unknown stack. */
static uint32_t unknown_targets(const struct stack_pass *pass, uint32_t node)
{
    const struct callgraph *graph = &pass->link->callgraph;
    uint32_t *count = &pass->unknown[node - graph->function_count];
    if (!*count) {
        *count = 1;
        for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++)
            *count += stack_is_unknown(pass, graph->callees.targets[i]);
    }
    return *count - 1;
}

/* Returns the number of warnings that nvlink reports for a kernel: one for each pair of a call and
 * a callee with an unknown stack. Direct calls are counted as often as objects list them. So if a
 * weak kernel has a superseded copy, there are two warnings for the same callee. A call through a
 * pointer is counted once for each function that it can reach. */
static uint64_t unknown_callees(const struct stack_pass *pass, uint32_t kernel)
{
    const struct callgraph *graph = &pass->link->callgraph;
    uint64_t count = 0;
    for (uint32_t i = graph->callees.start[kernel]; i < graph->callees.start[kernel + 1]; i++) {
        uint32_t callee = graph->callees.targets[i];
        count += callee < graph->function_count ? stack_is_unknown(pass, callee)
                                                : unknown_targets(pass, callee);
    }
    return count;
}

/* Counts a repeated warning. Returns true if there are too many. Without this limit, a small input
 * could cause any number of warnings, because nvlink reports one for each pair of a call and a
 * function that the call can reach. */
static bool is_repeated_too_often(struct stack_pass *pass)
{
    enum { MOST_REPEATS = 100000 };
    return ++pass->repeats > MOST_REPEATS;
}

/* True if a kernel's stack is unknown only because its size does not fit in a record. This is so if
 * the kernel calls no function with an unknown stack, and does not recurse. nvlink 13.0.88 records
 * the size modulo 2^32 and does not warn (docs/quirks/relocations.md). */
static bool is_too_large(const struct stack_pass *pass, const struct function *kernel,
                         uint64_t unknown_calls)
{
    const struct callgraph *graph = &pass->link->callgraph;
    return !unknown_calls && !kernel->recurses && !graph->cyclic[graph->component[kernel->index]];
}

/* Warns about a kernel with an unknown stack. If the link runs as nvlink, there is one warning for
 * each call that unknown_callees counts. Otherwise there is only one warning, even if the stack is
 * only too large for a record. For several calls, a note gives their number. */
static void warn_of(struct stack_pass *pass, const struct function *kernel)
{
    link_context *link = pass->link;
    const char *name = symbol_name(kernel->symbol);
    uint64_t calls = unknown_callees(pass, kernel->index);
    uint64_t count =
        link->options.as_nvlink ? calls : calls > 0 || is_too_large(pass, kernel, calls);
    for (uint64_t i = 0; i < count && (!i || !is_repeated_too_often(pass)); i++)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_SIZE_UNKNOWN,
                          kernel->symbol->object->name, name, name);
    if (calls > count)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_REPEATED,
                          kernel->symbol->object->name, name, (unsigned long long)calls);
    if (calls)
        stack_explain_cycle(link, kernel);
}

/* Warns about kernels in the order in which they were read. */
static void warn(struct stack_pass *pass)
{
    const link_context *link = pass->link;
    for (size_t i = 0; i < link->functions_count; i++)
        if (is_kernel_with_info(link->functions[i]) && !link->functions[i]->stack_is_known)
            warn_of(pass, link->functions[i]);
}

/* Adds the record HAS_PRE_V10_OBJECT to .nv.info if an object was compiled by a toolkit before
 * 10.0. The record precedes those that this pass appends (observed with objects of ABI 7 whose
 * e_version was changed). */
static void mark_old_code(link_context *link)
{
    enum { FIRST_RELEASE = 100 };
    for (size_t i = 0; i < link->objects_count; i++)
        if (link->objects[i]->toolkit < FIRST_RELEASE) {
            record_append(link, link->output.info,
                          (struct output_record){.format = INFO_FORMAT_NONE,
                                                 .code = EIATTR_HAS_PRE_V10_OBJECT});
            return;
        }
}

/* Computes the stack of each component, writes the records of each kernel, and warns about unknown
 * stacks. */
void pass_stack(link_context *link)
{
    const struct callgraph *graph = &link->callgraph;
    if (!link->functions_count)
        return;
    struct stack_pass pass = {
        .link = link,
        .need = ARENA_ARRAY(&link->arena, uint64_t, (size_t)graph->component_count + 1),
        .call_need = ARENA_ARRAY(&link->arena, uint64_t, (size_t)graph->component_count + 1),
        .region_need = ARENA_ARRAY(&link->arena, uint32_t, (size_t)graph->component_count + 1),
        .unknown = ARENA_ARRAY(&link->arena, uint32_t, graph->node_count - graph->function_count),
        .kernels = ARENA_ARRAY(&link->arena, struct function *, link->functions_count),
    };
    for (uint32_t i = 0; i < graph->order_count; i++)
        visit_stack(&pass, graph->order[i]);
    link->resources->stack_needs = pass.need;
    mark_old_code(link);
    find_kernels_of_symbols(&pass);
    for (size_t i = 0; i < pass.kernel_count; i++)
        set_stack(&pass, pass.kernels[i]);
    if (!link->options.suppress_stack_size_warning)
        warn(&pass);
}
