/* Decides which sections of shared memory the output has, their sizes, and the symbols in them.
 * Part of pass_layout_shared. */
#include "format/elf.h"
#include "link/layout/layout_shared.h"
#include "link/merge/merge_state.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

bool shared_owns_section(const struct function *function)
{
    return function->kept && function->shared && shared_section_owner(function) == function;
}

/* True if the output keeps the kernel's section even if it is empty. This is so for a kernel of a
 * whole program. If the link has extern shared memory, it is also so for a section with alignment
 * 16 and, on sm_90, for a section with a larger alignment (observed in 595 links). */
static bool keeps_empty(const struct shared_layout *layout, const struct function *kernel)
{
    if (function_shared_memory(kernel)->placed_alignment)
        return true;
    if (!layout->has_extern)
        return false;
    if (link_shared_reserved(layout->link) && !link_has_mercury(layout->link))
        return kernel->shared->alignment >= EXTERN_SHARED_ALIGNMENT;
    return kernel->shared->alignment == EXTERN_SHARED_ALIGNMENT;
}

/* Corrects the size of the section of a whole program's kernel. The section has a reserved part
 * only if it has variables, or if the link has extern shared memory.
 *
 * Each such section that has variables also increases the value of symbol 0 by the size of its
 * reserved part, except with -g (observed on sm_90). No relocation refers to symbol 0. */
static void size_placed(const struct shared_layout *layout, struct output_section *section,
                        uint64_t end)
{
    link_context *link = layout->link;
    if (end && !link_is_for_debugger(link))
        link->output.null_symbol_reserves += link_shared_reserved(link);
    if (!end && !layout->has_extern)
        section->size = 0;
}

static void size_section(const struct shared_layout *layout, struct function *kernel)
{
    link_context *link = layout->link;
    const struct shared_memory *memory = function_shared_memory(kernel);
    uint64_t end = memory->end;
    struct output_section *section = kernel->shared;
    section->keep_empty = end == 0 && keeps_empty(layout, kernel);
    section->dropped = end == 0 && !section->keep_empty;
    if (section->dropped)
        return;
    section->size = end + link_shared_reserved(link);
    if (memory->placed_alignment && !link_has_mercury(link))
        size_placed(layout, section, end);
    /* From sm_100 on, a section that contains only the reserved bytes has no symbol (observed). */
    if (link_has_mercury(link))
        section->has_symbol = end > 0;
}

/* Sets the size of .nv_debug.shared. With -g or --preserve-relocs, this section contains the
 * variables that several kernels share. Otherwise it contains no variables, and the output has it
 * only if the link has extern shared memory. */
static void size_file_section(const struct shared_layout *layout, struct output_section *file)
{
    file->alignment = EXTERN_SHARED_ALIGNMENT;
    file->keep_empty = layout->has_extern && layout->common_alignment <= EXTERN_SHARED_ALIGNMENT;
    file->dropped = !file->keep_empty;
    if (!file->dropped && link_has_mercury(layout->link))
        file->size = link_shared_reserved(layout->link);
    if (!link_names_shared(layout->link))
        return;
    file->has_symbol = true;
    file->size = layout->groups_end;
    if (layout->common_alignment > file->alignment || !layout->has_extern)
        file->alignment = layout->common_alignment;
    file->dropped = !file->size && !layout->has_extern;
    if (link_has_mercury(layout->link) && !layout->groups_end)
        file->has_symbol = false; /* as in size_section */
    if (!file->dropped)
        file->size = layout->groups_end + link_shared_reserved(layout->link);
}

void shared_size_sections(struct shared_layout *layout)
{
    link_context *link = layout->link;
    for (size_t i = 0; i < link->functions_count; i++)
        if (shared_owns_section(link->functions[i]))
            size_section(layout, link->functions[i]);
    if (link->output.shared_file)
        size_file_section(layout, link->output.shared_file);
}

/* Sets the section and the value of a shared variable's symbol, if the output has the symbol
 * (shared_keeps_name).
 *
 * If the variable belongs to one kernel K, the symbol is in .nv.shared.K; otherwise it is in
 * .nv_debug.shared. A kernel's own variable keeps its symbol even if no used code refers to the
 * variable. The value includes the size of the reserved part. An exception is extern shared memory
 * below sm_100: its value includes this size only if .nv_debug.shared has other variables, too.
 *
 * If a GLOBAL variable superseded a weak one, both variables have the same symbol, and this
 * function is called once for each. The second call decides the section. Below sm_100, each call
 * adds the size of the reserved part to the value (observed; docs/format/shared-memory.md has the
 * numbers). */
static void name_variable(struct shared_layout *layout, struct shared_variable *variable)
{
    link_context *link = layout->link;
    struct symbol *symbol = variable->symbol;
    if (!shared_keeps_name(link, symbol))
        return;
    if (!link_is_for_debugger(link) && !(symbol->other & STO_VISIBILITY))
        symbol->other |= STV_INTERNAL; /* nvlink marks symbols that only --preserve-relocs keeps */
    symbol->dropped = !variable->used && !variable->kernel && !variable->is_extern;
    symbol->section = variable->kernel ? shared_section_owner(variable->kernel)->shared
                                       : link->output.shared_file;
    symbol->dropped |= !symbol->section || symbol->section->dropped;
    if (variable->is_extern)
        symbol->value = link_is_for_debugger(link) ? variable->offset : UINT64_MAX;
    bool counts_again = !link_has_mercury(link) || symbol->shared == variable;
    if (counts_again && (variable->kernel ||
                         (link_names_shared(link) &&
                          (!variable->is_extern || layout->groups_end || link_has_mercury(link)))))
        symbol->value += link_shared_reserved(link);
    if (variable->is_extern && symbol->value == UINT64_MAX)
        symbol->dropped = true;
}

void shared_name_variables(struct shared_layout *layout)
{
    link_context *link = layout->link;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct shared_memory *memory = function_shared_memory(link->functions[i]);
        for (size_t v = 0; v < memory->variables_count; v++)
            name_variable(layout, memory->variables[v]);
    }
    for (size_t i = 0; i < link->merge->shared_variables_count; i++)
        if (!link->merge->shared_variables[i]->kernel)
            name_variable(layout, link->merge->shared_variables[i]);
}
