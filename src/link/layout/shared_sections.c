/* Which sections of shared memory the output has, how large they are and which symbols stand in
 * them. Part of layout_shared. */
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

/* An empty section goes unless it is a whole program's, but where extern shared memory exists one
 * of alignment 16 stays (below sm_90 and from sm_100 on exactly 16, on sm_90 at least 16; observed
 * in 595 links). */
static bool stays_empty(const struct shared_layout *layout, const struct function *kernel)
{
    if (function_shared_memory(kernel)->placed_alignment)
        return true;
    if (!layout->has_extern)
        return false;
    if (link_shared_reserved(layout->link) && !link_has_mercury(layout->link))
        return kernel->shared->alignment >= EXTERN_SHARED_ALIGNMENT;
    return kernel->shared->alignment == EXTERN_SHARED_ALIGNMENT;
}

/* Without memory of its own it has no reserve either, but where extern shared memory exists; symbol
 * 0 gets the reserve of each that has some, but with -g (observed on sm_90; nothing refers to it).
 */
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
    section->keep_empty = end == 0 && stays_empty(layout, kernel);
    section->dropped = end == 0 && !section->keep_empty;
    if (section->dropped)
        return;
    section->size = end + link_shared_reserved(link);
    if (memory->placed_alignment && !link_has_mercury(link))
        size_placed(layout, section, end);
    if (link_has_mercury(link)) /* the reserve alone gives it no symbol (observed) */
        section->has_symbol = end > 0;
}

/* What is left of the file's own section: with -g the groups, else an empty remainder that tells of
 * extern shared memory. */
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
        file->has_symbol = false; /* the reserve alone gives it none */
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

/* With -g the variables keep their symbols: one of a kernel in its .nv.shared.K, the others in
 * .nv_debug.shared. A kernel's own keep them even when no code uses them, or only the code of a
 * copy that lost. Values count the reserved bytes; that of extern shared memory only does when
 * .nv_debug.shared holds other variables too. A symbol with two places, as one weak variable that a
 * GLOBAL one replaced has, counts them for each, but from sm_100 on, and is in the section that is
 * looked at last (observed; docs/format/shared-memory.md has the numbers). */
static void name_variable(struct shared_layout *layout, struct shared_variable *variable)
{
    link_context *link = layout->link;
    struct symbol *symbol = variable->symbol;
    if (!shared_keeps_name(link, symbol))
        return;
    if (!link_is_for_debugger(link) && !(symbol->other & STO_VISIBILITY))
        symbol->other |= STV_INTERNAL; /* which only --preserve-relocs lets stay (observed) */
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
