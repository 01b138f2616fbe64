/* Assigns addresses in shared memory.
 *
 * Requires: MERGED (shared variables and sections), TEXTURES_PLACED (errors of pass_textures must
 * be reported before those of this pass).
 * Makes: SHARED_PLACED: the address of every shared variable; for each function, the address of
 * extern shared memory; size and alignment of every .nv.shared.K.
 * Frozen after: SHARED.
 *
 * An object has a kernel's own variables in .nv.shared.K. It has the variables of device functions
 * and at file scope in .nv_debug.shared. A variable in .nv_debug.shared belongs to each kernel that
 * reaches a function whose code uses the variable. If this is only one kernel, the variable becomes
 * the kernel's own. A variable of several kernels has the same address in all of them. Variables
 * that have no kernel in common may overlap. The rules, ties included, were fitted to 200 random
 * programs and then predicted every address in 400 other programs (nvlink 13.0.88; up to 9
 * variables, 5 kernels). docs/format/shared-memory.md lists the rules as steps.
 *
 * This file has the pass, the uses of variables and the kernels' own variables. shared_groups.c
 * places variables of several kernels, and layout_extern_shared.c places extern shared memory.
 * shared_sections.c sizes the sections. shared_addresses.c has the functions that all these files
 * call. */
#include "link/layout/layout_shared.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/merge_sort.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "base/trace.h"
#include "format/elf_view.h"
#include "link/layout/layout_state.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/kernel_set.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/whole_programs.h"
#include "link/resolve/resolve_state.h"

/* --------------------------------------------------------------------------------------------- */
/* Uses of variables                                                                             */

static void note_use(struct shared_layout *layout, struct function *function,
                     struct shared_variable *variable)
{
    variable->used = true;
    link_context *link = layout->link;
    if (!function->kept || variable->kernel || variable->last_user == function)
        return;
    variable->last_user = function;
    *ARENA_APPEND(&link->arena, layout, uses) = (struct shared_use){function, variable};
    *ARENA_APPEND(&link->arena, variable, users) = function;
}

static struct shared_variable *variable_of_entry(const struct section_input *input, uint32_t index)
{
    const struct symbol *symbol =
        input->object->symbols[elf_section_relocation(input->section, index).symbol];
    return symbol ? symbol->shared : NULL;
}

/* The shared variables that a list of relocations refers to. The structure has only the first one,
 * because nearly all lists refer to no shared variable or to a single one. */
struct list_uses {
    struct function *function; /* whose code the list patches; NULL if the list has no variable */
    struct shared_variable *variable; /* the first variable in the list */
    uint32_t rest; /* index of the first entry that can refer to another variable */
};

/* Returns the function whose code a list of relocations patches; NULL if the list patches no code,
 * or code of an unused copy. The function may be removed; then no kernel reaches it, and its uses
 * assign the variable to no kernel. */
static struct function *user_of_list(const struct section_input *input)
{
    if (!input->object->has_shared)
        return NULL;
    const struct elf_section *target = &input->object->elf.sections[input->section->info];
    uint32_t index = 0;
    struct symbol *owner = input_section_kind(target) == INPUT_TEXT
                               ? input_section_function(input->object, target, &index)
                               : NULL;
    return owner && input->object->copies[index] == COPY_USED ? owner->function : NULL;
}

static struct list_uses uses_in(const struct section_input *input)
{
    struct list_uses uses = {.function = NULL};
    struct function *user = user_of_list(input);
    uint32_t count = user ? input->section->entry_count : 0;
    for (; uses.rest < count; uses.rest++) {
        struct shared_variable *variable = variable_of_entry(input, uses.rest);
        if (uses.variable && variable && variable != uses.variable)
            break;
        if (variable)
            uses = (struct list_uses){user, variable, uses.rest};
    }
    return uses;
}

struct use_search {
    const struct section_input *inputs;
    struct list_uses *found; /* the uses in each of `inputs` */
};

static void search_uses(void *context, unsigned worker, size_t index)
{
    struct use_search *search = context;
    (void)worker;
    search->found[index] = uses_in(&search->inputs[index]);
}

static void note_all_uses(struct shared_layout *layout, struct function *function,
                          struct shared_variable *variable)
{
    for (; variable; variable = variable->superseded)
        note_use(layout, function, variable);
}

static void note_list(struct shared_layout *layout, const struct section_input *input,
                      const struct list_uses *uses)
{
    if (!uses->function)
        return;
    note_all_uses(layout, uses->function, uses->variable);
    for (uint32_t i = uses->rest; i < input->section->entry_count; i++)
        note_all_uses(layout, uses->function, variable_of_entry(input, i));
}

/* Collects all uses of shared variables, in the order of the lists of relocations. Several threads
 * search the lists. They handle one batch of lists at a time, to bound the memory. */
static void collect_uses(struct shared_layout *layout)
{
    enum { LISTS_OF_A_WORKER = LARGE_FROM(1000, 1), MOST_LISTS = LARGE_FROM(1 << 14, 4) };
    link_context *link = layout->link;
    size_t left = link->merge->shared_variables_count ? link->resolve->of_variables_count : 0;
    size_t batch = left < MOST_LISTS ? left : (size_t)MOST_LISTS;
    struct use_search search = {link->resolve->of_variables,
                                ARENA_ARRAY(&link->arena, struct list_uses, batch)};
    for (size_t count; left; left -= count) {
        count = left < batch ? left : batch;
        parallel_for(link_workers(link, count / LISTS_OF_A_WORKER), count, search_uses, &search);
        for (size_t i = 0; i < count; i++)
            note_list(layout, &search.inputs[i], &search.found[i]);
        search.inputs += count;
    }
}

/* Finds the kernels of each variable. A kernel can call another kernel K. If the code of K itself
 * uses a variable, the variable belongs to K, but not to K's callers. If a function that K calls
 * uses the variable, it belongs to K and to K's callers (observed with patched call graphs of 2 to
 * 4 kernels). */
static void find_users_kernels(struct shared_layout *layout)
{
    link_context *link = layout->link;
    bool *interesting = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < layout->uses_count; i++)
        interesting[layout->uses[i].function->index] = true;
    kernel_sets_find(link, interesting, &layout->sets);
    kernel_sets_isolate_kernels(link, interesting, &layout->sets);
    for (size_t i = 0; i < layout->uses_count; i++) {
        const struct kernel_set *set = layout->sets.set[layout->uses[i].function->index];
        if (set)
            kernel_union_add(&link->arena, &layout->uses[i].variable->kernels, set);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Variables of one kernel, and of several                                                       */

static int larger_variable_first(const void *a, const void *b)
{
    const struct shared_variable *first = a, *second = b;
    return first->size == second->size ? 0 : first->size > second->size ? -1 : 1;
}

static void find_special_kernels(struct shared_layout *layout)
{
    link_context *link = layout->link;
    for (uint32_t id = 0; id < layout->sets.kernel_count; id++) {
        const struct function *kernel = layout->sets.kernels[id];
        if (!shared_section_owner(kernel)->shared)
            kernel_set_add(&link->arena, &layout->lacking, id);
        if (object_is_whole_program(kernel->symbol->object))
            kernel_set_add(&link->arena, &layout->whole_programs, id);
    }
}

static void refuse_whole_programs(const struct shared_layout *layout,
                                  const struct shared_variable *variable)
{
    const struct kernel_set *kernels = kernel_union_set(&variable->kernels);
    uint32_t id = NO_KERNEL;
    while ((id = kernel_set_previous_of_both(kernels, &layout->whole_programs, id)) != NO_KERNEL)
        whole_programs_refuse(layout->link, variable->symbol, layout->sets.kernels[id]);
}

/* Assigns each used variable to its kernel, if there is only one, or else to a group. Begins with
 * the largest variable. */
static void distribute(struct shared_layout *layout)
{
    link_context *link = layout->link;
    merge_sort(&link->arena, (void **)link->merge->shared_variables,
               link->merge->shared_variables_count, larger_variable_first, TIES_FROM_B);
    for (size_t i = 0; i < link->merge->shared_variables_count; i++) {
        struct shared_variable *variable = link->merge->shared_variables[i];
        layout->has_extern |= variable->is_extern;
        if (!variable->used && !variable->is_extern)
            TRACE(&link->trace, TRACE_SHARED_UNUSED, symbol_name(variable->symbol));
        if (!variable->used || variable->is_extern)
            continue;
        if (link->whole_programs.is_any)
            refuse_whole_programs(layout, variable);
        uint32_t kernel = kernel_set_only(kernel_union_set(&variable->kernels));
        if (kernel == NO_KERNEL) {
            shared_add_to_group(layout, variable);
            continue;
        }
        variable->kernel = shared_section_owner(layout->sets.kernels[kernel]);
        TRACE(&link->trace, TRACE_SHARED_OF_ONE, symbol_name(variable->symbol),
              variable->kernel->index + 1);
        shared_add_section(link, variable->kernel);
        shared_add_own(link, variable->kernel, variable);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Kernels                                                                                       */

static int by_alignment_then_small(const void *a, const void *b)
{
    const struct shared_variable *first = a, *second = b;
    if (first->alignment != second->alignment)
        return first->alignment > second->alignment ? -1 : 1;
    return first->size == second->size ? 0 : first->size < second->size ? -1 : 1;
}

static void trace_kernel_memory(link_context *link, const struct function *kernel)
{
    const char *name = symbol_name(kernel->symbol);
    const struct shared_memory *memory = function_shared_memory(kernel);
    if (link->merge->shared_variables_count && !memory->end)
        TRACE(&link->trace, TRACE_SHARED_NOT_REACHED, name);
    if (memory->variables_count)
        TRACE(&link->trace, TRACE_SHARED_ENTRY, name);
    if (memory->placed_alignment)
        TRACE(&link->trace, TRACE_SHARED_PLACED, name);
}

/* Assigns addresses to a kernel's own variables. They follow the last grouped variable that the
 * kernel uses. */
static void place_own(link_context *link, struct function *kernel, uint64_t alignment)
{
    trace_kernel_memory(link, kernel);
    struct shared_memory *memory = kernel->shared_memory;
    struct output_section *section = kernel->shared;
    section->alignment = alignment;
    if (!memory)
        return;
    if (memory->placed_alignment > alignment)
        section->alignment = memory->placed_alignment;
    merge_sort(&link->arena, (void **)memory->variables, memory->variables_count,
               by_alignment_then_small, TIES_FROM_A);
    for (size_t i = 0; i < memory->variables_count; i++) {
        struct shared_variable *variable = memory->variables[i];
        if (variable->is_placed) {
            shared_place(link, variable, variable->offset);
            continue;
        }
        shared_place(link, variable, shared_next_address(link, memory->end, variable->alignment));
        memory->end = add_sizes(variable->offset, variable->size);
        if (variable->alignment > section->alignment)
            section->alignment = variable->alignment;
    }
}

/* Moves the variables of reserved shared memory after the part that the system uses, from sm_100
 * on. The section in the Mercury view does not contain this part. */
static void shift_reserved(link_context *link, struct output_section *section)
{
    struct output_section *counterpart = output_counterpart(section);
    if (!counterpart)
        return;
    counterpart->size = section->size;
    counterpart->alignment = section->alignment;
    section->size += MERCURY_RESERVED_PART;
    for (size_t i = 0; i < section->rare->reserved_count; i++) {
        struct symbol *symbol = section->rare->reserved[i]->symbol;
        symbol->value += MERCURY_RESERVED_PART;
        TRACE(&link->trace, TRACE_SHARED_SHIFTED, symbol_name(symbol),
              (unsigned long long)symbol->value);
    }
}

/* Assigns addresses to all variables of reserved shared memory, even unused ones, in the same order
 * as for a kernel's own variables (observed with up to three such variables in two patched
 * objects). */
static void place_reserved(link_context *link, struct output_section *section)
{
    TRACE(&link->trace, TRACE_SHARED_RESERVED);
    struct rare_section *rare = section->rare;
    merge_sort(&link->arena, (void **)rare->reserved, rare->reserved_count, by_alignment_then_small,
               TIES_FROM_A);
    for (size_t i = 0; i < rare->reserved_count; i++) {
        const struct shared_variable *variable = rare->reserved[i];
        uint64_t offset = align_up(section->size, variable->alignment);
        section->size = add_sizes(offset, variable->size);
        if (variable->alignment > section->alignment)
            section->alignment = variable->alignment;
        variable->symbol->value = offset;
        TRACE(&link->trace, TRACE_VARIABLE, symbol_name(variable->symbol),
              (unsigned long long)offset);
    }
    shift_reserved(link, section);
}

static void place_all_reserved(link_context *link)
{
    for (size_t i = 0; i < link->output.reserved_count; i++)
        place_reserved(link, link->output.reserved[i]);
}

/* Returns the minimum alignment of every kernel's section: 1 unless several kernels share
 * variables. */
static uint64_t common_alignment(const struct shared_layout *layout)
{
    const link_context *link = layout->link;
    uint64_t alignment = layout->groups_count ? link->merge->shared_file_alignment : 1;
    if (!layout->groups_count || !link_follows(link, RELEASE_ALIGNS_EXTERN_SHARED))
        return alignment;
    for (size_t i = 0; i < link->merge->shared_variables_count; i++) {
        const struct shared_variable *variable = link->merge->shared_variables[i];
        if (variable->is_extern && alignment < shared_extern_alignment(link, variable))
            alignment = shared_extern_alignment(link, variable);
    }
    return alignment;
}

void pass_layout_shared(link_context *link)
{
    struct shared_layout layout = {.link = link};
    collect_uses(&layout);
    find_users_kernels(&layout);
    find_special_kernels(&layout);
    distribute(&layout);
    shared_place_groups(&layout);
    layout.common_alignment = common_alignment(&layout);
    for (size_t i = 0; i < link->functions_count; i++)
        if (shared_owns_section(link->functions[i]))
            place_own(link, link->functions[i], layout.common_alignment);
    layout_extern_shared(&layout);
    shared_size_sections(&layout);
    place_all_reserved(link);
    link->layout->shared_users = layout.sets;
    shared_name_variables(&layout);
}
