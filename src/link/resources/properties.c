/* Computes the resources that each kernel needs, for itself and for every function that it reaches.
 *
 * Requires: STACKED (the records of pass_stack come first), STACK_CHECKED (the errors of
 * pass_stack_limits come first).
 * Makes: NEEDS_KNOWN, the register counts of kernels in .nv.info, and with inherit.c the records
 * that kernels inherit in .nv.info.K; mutates records.
 * Frozen after: nothing more.
 *
 * The pass visits each strongly connected component of the call graph once, callees before callers,
 * and computes maxima. The rules were observed with nvlink 13.0.88. docs/format/attributes.md lists
 * them by attribute. */
#include "base/arena.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/info_record.h"
#include "format/unified_index.h"
#include "link/layout/trace_plan.h"
#include "link/merge/merge_state.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"
#include "link/resources/caching.h"
#include "link/resources/inherit.h"
#include "link/resources/inherit_lists.h"
#include "link/resources/inherited_needs.h"
#include "link/resources/register_limits.h"
#include "link/resources/register_records.h"

enum { DEFAULT_SPARSE_MASK = 0x8000 };

/* The needs of a component, together with those of all functions that it reaches. */
struct needs {
    struct inherited_needs *inherited; /* inherited attributes; NULL if there are none */
    uint32_t registers;
    uint16_t sparse_mask;
    uint8_t flag_barriers; /* largest number of barriers in the section flags of device functions */
    bool shares_inherited : 1; /* `inherited` belongs to a callee, and must be copied before a
                                  change */
    bool exits_early : 1;
};

struct property_pass {
    link_context *link;
    struct needs *needs; /* by component */
    bool reconfigures; /* the link has one kernel, and a function changes its number of registers */
};

static struct inherited_needs *copy(link_context *link, const struct inherited_needs *needs)
{
    struct inherited_needs *result = ARENA_NEW(&link->arena, struct inherited_needs);
    *result = *needs;
    return result;
}

/* Adds the inherited needs of a callee to those of its caller. To save memory, the caller shares
 * the needs of the first callee that has any. If a second callee has needs, too, the shared needs
 * are copied, and those of the second callee are added to the copy. */
static void include_inherited(link_context *link, struct needs *sum, struct inherited_needs *callee)
{
    if (!callee || sum->inherited == callee)
        return;
    if (!sum->inherited) {
        sum->inherited = callee;
        sum->shares_inherited = true;
        return;
    }
    if (sum->shares_inherited) {
        sum->inherited = copy(link, sum->inherited);
        sum->shares_inherited = false;
    }
    inherited_include(sum->inherited, callee);
}

static void include(struct needs *sum, const struct needs *part)
{
    if (part->registers > sum->registers)
        sum->registers = part->registers;
    if (part->flag_barriers > sum->flag_barriers)
        sum->flag_barriers = part->flag_barriers;
    sum->sparse_mask |= part->sparse_mask;
    sum->exits_early |= part->exits_early;
}

/* Returns the number of barriers in a function's section flags that its callers inherit. Callers of
 * a kernel inherit 0. A function with the name of a system function is treated as a kernel
 * elsewhere, but its callers inherit its barriers (observed with nvlink 13.0.88 on sm_80 and
 * libnvJitLink 12.9 on sm_50, sm_60, sm_70 and sm_80). */
static uint8_t barriers_for_callers(const struct function *function)
{
    return function->kernel && !function->is_system ? 0 : function->flag_barriers;
}

static void include_copy(link_context *link, struct needs *sum, struct inherited_needs *part)
{
    if (!sum->inherited)
        sum->inherited = copy(link, part);
    else
        include_inherited(link, sum, part);
}

static void include_own(link_context *link, struct needs *sum, const struct function *function)
{
    const struct needs own = {
        .registers = function->register_count,
        .sparse_mask = function->sparse_mask,
        .flag_barriers = barriers_for_callers(function),
        .exits_early = function_rare(function)->exits_early,
    };
    include(sum, &own);
    if (!function->inherited_kinds)
        return;
    struct inherited_needs inherited = inherited_of(function, false);
    include_copy(link, sum, &inherited);
}

/* Includes all records of the kernels that the node calls. include_own includes only a kernel's
 * last record of each attribute. This is correct for the kernel itself, unless it is in a cycle of
 * calls. But the kernel's callers inherit the values of all its records (observed in 400 links). */
static void include_records_of_kernels(link_context *link, struct needs *sum, uint32_t node)
{
    const struct callgraph *graph = &link->callgraph;
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->callees.targets[i];
        if (callee >= graph->function_count || !link->functions[callee]->kernel ||
            !link->functions[callee]->inherited_kinds)
            continue;
        struct inherited_needs all = inherited_of(link->functions[callee], true);
        include_copy(link, sum, &all);
    }
}

static void visit_needs(struct property_pass *pass, uint32_t node)
{
    const struct callgraph *graph = &pass->link->callgraph;
    uint32_t component = graph->component[node];
    struct needs *needs = &pass->needs[component];
    if (node < graph->function_count)
        include_own(pass->link, needs, pass->link->functions[node]);
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->component[graph->callees.targets[i]];
        if (callee == component)
            continue;
        include(needs, &pass->needs[callee]);
        include_inherited(pass->link, needs, pass->needs[callee].inherited);
    }
    if (pass->link->merge->kernel_values_fall)
        include_records_of_kernels(pass->link, needs, node);
}

/* --------------------------------------------------------------------------------------------- */
/* Registers                                                                                     */

static bool only_kernel_reconfigures(const link_context *link)
{
    for (size_t i = 0; link->resolve->live_entry_count == 1 && i < link->functions_count; i++)
        if (link->functions[i]->kept &&
            function_inherited(link->functions[i], INHERITED_REG_RECONFIG)->sequence)
            return true;
    return false;
}

/* If a function has no REGCOUNT record, reads its register count from the header of its code
 * section. From sm_90 on, compilers write 0 there. Reports a device function whose count is 0. This
 * was observed on sm_80 and sm_90, by removing each record of four functions. */
static void read_header_count(link_context *link, struct function *function)
{
    if (!function->kept || !function->text || function->alias_of || function->is_stub)
        return;
    if (!function->has_register_count)
        function->register_count = function->text->info_high;
    if (!function->register_count && !function->kernel)
        register_report_no_count(link, function);
}

/* Sets the register count of a kernel: the largest count of all functions that it reaches. But if
 * the kernel or one of these functions changes the number of registers at run time, the kernel
 * keeps its own count, with which it is launched (observed on sm_80 and sm_90). */
static void set_registers(struct property_pass *pass, struct function *kernel,
                          const struct needs *needs)
{
    link_context *link = pass->link;
    bool reconfigures = pass->reconfigures ||
                        (needs->inherited && needs->inherited->sequence[INHERITED_REG_RECONFIG]);
    kernel->needed_registers = reconfigures ? kernel->register_count : needs->registers;
    if (!kernel->has_register_count)
        return;
    if (!kernel->needed_registers)
        register_report_no_count(link, kernel);
    struct output_record *record = record_at(kernel->register_section, kernel->register_record);
    if (record)
        record_set_word(link, record, 1, kernel->needed_registers);
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

static void set_sparse_mask(link_context *link, struct function *kernel, uint32_t mask)
{
    struct output_record *own = record_at(kernel->info, kernel->sparse_record);
    if (own)
        own->value = (uint16_t)mask;
    else if (mask)
        append_sparse_mask(link, kernel, mask);
}

/* Returns the mask that the kernel of a link with one kernel gets: the combined masks of all kept
 * functions. Returns 0 for other links. */
static uint32_t combined_mask(const link_context *link)
{
    uint32_t mask = 0;
    for (size_t i = 0; link->resolve->live_entry_count == 1 && i < link->functions_count; i++)
        if (link->functions[i]->kept)
            mask |= link->functions[i]->sparse_mask;
    return mask;
}

/* True if the kernel's mask must not be changed. This is so in a link with one kernel if every
 * function has a mask, and no function is removed or undefined (observed on sm_90). */
static bool masks_are_unchanged(const link_context *link)
{
    for (size_t i = 0; link->resolve->live_entry_count == 1 && i < link->functions_count; i++)
        if (!link->functions[i]->kept || !link->functions[i]->sparse_record)
            return false;
    return link->resolve->live_entry_count == 1;
}

static bool any_sparse_mask(const link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kept && link->functions[i]->sparse_record)
            return true;
    return false;
}

/* If some function has a mask, gives the default mask to each function that has none. An alias has
 * no attributes, so its mask is added to the function that it stands for (observed on sm_80 and
 * sm_90). */
static void add_missing_masks(link_context *link)
{
    bool any = any_sparse_mask(link);
    for (size_t i = 0; any && i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        struct function *target = function->alias_of ? function->alias_of : function;
        if (!function->kept || !target->info || function->sparse_record || function->is_stub)
            continue;
        target->sparse_mask |= DEFAULT_SPARSE_MASK;
        if (!target->kernel || target != function)
            append_sparse_mask(link, target, DEFAULT_SPARSE_MASK);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Early exits                                                                                   */

/* Sets the kernel's PREEXIT_USED record to 1 if the kernel reaches a function whose PREEXIT_USED
 * record is not 0, which lets the next grid start early. nvlink 13.4 and 13.5 do so only from
 * sm_100 on. There the record is one of the last records in the native view (tail_records). */
static void set_early_exit(link_context *link, const struct function *kernel,
                           const struct needs *needs)
{
    if (!needs->exits_early)
        return;
    struct rare_section *info = output_add_rare(link, kernel->info);
    for (size_t i = 0; i < info->tail_records_count; i++)
        if (info->tail_records[i].code == EIATTR_PREEXIT_USED &&
            info->tail_records[i].format == INFO_FORMAT_BYTE)
            info->tail_records[i].value = 1;
}

/* --------------------------------------------------------------------------------------------- */
/* Barriers                                                                                      */

/* Reads a function's number of barriers from the flags of its code section, where ptxas 12 stores
 * it. If the function has no barrier record, the number is moved from the flags to a new record.
 * For a kernel, add_flag_barriers moves the number later. If the function has a record, flags and
 * record remain unchanged (observed with patched objects of both ABIs). */
static void read_barrier_flags(link_context *link, struct function *function)
{
    if (!function->kept || function->alias_of || !function->text)
        return;
    uint64_t flags = function->text->flags & SHF_BARRIERS;
    function->flag_barriers = (uint8_t)(flags >> SHF_BARRIERS_SHIFT);
    if (!flags || link_writes_abi_12(link) || function->kernel ||
        function_inherited(function, INHERITED_BARRIERS)->record || !function->info)
        return;
    TRACE(&link->trace, TRACE_BARRIERS_MOVED, function->flag_barriers,
          section_name(link, function->text), symbol_name(function->symbol));
    function->text->flags &= ~flags;
    record_append(link, function->info,
                  (struct output_record){.value = (uint16_t)function->flag_barriers,
                                         .format = INFO_FORMAT_BYTE,
                                         .code = EIATTR_NUM_BARRIERS});
}

/* --------------------------------------------------------------------------------------------- */

static bool kernel_has_info(const struct function *function)
{
    return function->kernel && function->info;
}

/* Sets the needs of a device function that -v reports if the function is an entry that is kept only
 * as a device function. nvlink reports its own needs, without the needs of its callees
 * (observed). */
static void set_own_needs(struct function *function)
{
    function->needed_registers = function->register_count;
    function->needed_barriers = (uint16_t)function_inherited(function, INHERITED_BARRIERS)->largest;
    if (function->flag_barriers > function->needed_barriers)
        function->needed_barriers = function->flag_barriers;
    function->stack_size = function->frame_size;
}

static const struct needs *needs_of(const struct property_pass *pass, const struct function *kernel)
{
    return &pass->needs[pass->link->callgraph.component[kernel->index]];
}

/* Completes the records of the stubs of the unified function table. Stubs are treated as kernels.
 * But they have only one record with a mask, and its value is 0 (observed on sm_90 with changed
 * masks of all other functions). */
static void complete_stubs(const struct property_pass *pass, struct inheritance *inheritance)
{
    link_context *link = pass->link;
    if (!link->unified[UNIFIED_FUNCTIONS].info)
        return;
    struct stub_needs *stubs = ARENA_ARRAY(&link->arena, struct stub_needs, link->functions_count);
    struct function *any = NULL;
    size_t count = 0;
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *stub = link->functions[i];
        if (!stub->is_stub || !stub->info)
            continue;
        any = stub;
        if (stub->kernel && needs_of(pass, stub)->inherited)
            stubs[count++] = (struct stub_needs){stub, needs_of(pass, stub)->inherited};
    }
    inherit_by_stubs(inheritance, stubs, count);
    if (any && any_sparse_mask(link))
        append_sparse_mask(link, any, 0);
}

/* Computes the needs of each kernel, callees before callers, and completes its attribute
 * records. */
void pass_properties(link_context *link)
{
    const struct callgraph *graph = &link->callgraph;
    if (!link->functions_count)
        return;
    add_missing_masks(link);
    for (size_t i = 0; i < link->functions_count; i++) {
        read_barrier_flags(link, link->functions[i]);
        read_header_count(link, link->functions[i]);
    }
    struct property_pass pass = {.link = link, .reconfigures = only_kernel_reconfigures(link)};
    pass.needs = ARENA_ARRAY(&link->arena, struct needs, (size_t)graph->component_count + 1);
    for (uint32_t i = 0; i < graph->order_count; i++)
        visit_needs(&pass, graph->order[i]);
    for (size_t i = link->functions_count; i-- > 0;)
        if (!link->functions[i]->kernel)
            set_own_needs(link->functions[i]);
        else if (kernel_has_info(link->functions[i]) && !link->functions[i]->is_stub)
            set_registers(&pass, link->functions[i], needs_of(&pass, link->functions[i]));
    struct caching *caching = caching_prepare(link, link->resolve->live_entry_count == 1);
    register_records(link);
    register_limits(link);
    struct inheritance *inheritance = inheritance_prepare(link, caching);
    uint32_t mask = combined_mask(link);
    bool keep_masks = masks_are_unchanged(link);
    for (size_t i = link->functions_count; i-- > 0;)
        if (kernel_has_info(link->functions[i]) && !link->functions[i]->is_stub) {
            const struct needs *needs = needs_of(&pass, link->functions[i]);
            set_early_exit(link, link->functions[i], needs);
            if (!keep_masks)
                set_sparse_mask(link, link->functions[i], needs->sparse_mask | mask);
            inherit(inheritance, link->functions[i], needs->inherited, needs->flag_barriers);
        }
    complete_stubs(&pass, inheritance);
    inheritance_finish(inheritance);
    trace_records(link);
}
