/* Lists what is in the inputs but not in the output; see removed.h. Passes keep no list of what
 * they remove. So this file derives the list from the symbols and sections after the passes. */
#include "link/inspect/removed.h"

#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/inspect/symbol_kind.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/notes/code_origin.h"

/* Whether the symbol is a removed variable of a constant bank. */
static bool is_cut_out(const struct input_object *object, const struct elf_symbol *input)
{
    if (input->section >= object->elf.section_count ||
        !contribution_is_moved(object, input->section))
        return false;
    const struct moved_variable *piece = contribution_piece(object, input->section, input->value);
    return piece && piece->removed;
}

/* Whether a kept kernel owns the variable, or kept code refers to it. layout_shared also assigns an
 * address to a variable that only removed code uses (docs/oddities/memory.md), but no kernel has
 * memory for that variable. */
static bool is_used_shared(const struct shared_variable *variable)
{
    return variable && (variable->users_count || (variable->kernel && variable->kernel->kept));
}

/* Returns true for a shared variable that is not in the output. A variable that no code uses is in
 * the output if its symbol is. */
static bool is_unused_shared(const link_context *link, const struct symbol *symbol)
{
    return symbol_kind(symbol) == WARPLD_SYMBOL_SHARED && !is_used_shared(symbol->shared) &&
           symbol->size && !symbol->linker_made && !symbol->output_index &&
           !link->options.relocatable;
}

static bool is_kept(const link_context *link, const struct input_object *object,
                    const struct symbol *symbol, const struct elf_symbol *input)
{
    if (symbol->function)
        return symbol->function->kept;
    return !is_cut_out(object, input) && !is_unused_shared(link, symbol);
}

bool definition_is_kept(const link_context *link, const struct input_object *object,
                        uint32_t symbol)
{
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, symbol);
    return object->copies[symbol] != COPY_DISCARDED && object->copies[symbol] != COPY_SUPERSEDED &&
           is_kept(link, object, object->symbols[symbol], &input);
}

/* --------------------------------------------------------------------------------------------- */
/* Reasons                                                                                       */

static enum warpld_removal reason_of_copy(const struct symbol *symbol, uint8_t copy)
{
    if (symbol->binding == STB_GLOBAL)
        return WARPLD_REMOVED_BY_STRONG;
    return copy == COPY_SUPERSEDED ? WARPLD_REMOVED_BY_WEAK : WARPLD_REMOVED_DUPLICATE;
}

static enum warpld_removal reason_of_unused(const link_context *link, const struct symbol *symbol)
{
    const struct warpld_options *options = &link->options;
    if (!symbol->function || !symbol->function->entry)
        return WARPLD_REMOVED_UNREFERENCED;
    return options->kernels_used_count || options->variables_used_count
               ? WARPLD_REMOVED_NOT_USED_BY_OPTION
               : WARPLD_REMOVED_NO_HOST_REFERENCE;
}

/* Returns the kind of a removed symbol. A removed kernel is reported as a kernel, although its
 * symbol is no longer that of a kernel. */
static enum warpld_symbol_kind kind_of_removed(const struct symbol *symbol,
                                               const struct elf_symbol *input)
{
    bool is_entry = symbol->function && input->other & STO_CUDA_ENTRY;
    return is_entry ? WARPLD_SYMBOL_KERNEL : symbol_kind(symbol);
}

/* Adds the object's definition of a symbol if that definition is not in the output. */
static void add_if_removed(link_context *link, struct removed_list *list,
                           const struct input_object *object, uint32_t index)
{
    const struct symbol *symbol = object->symbols[index];
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    uint8_t copy = object->copies[index];
    bool is_definition = input.section != SHN_UNDEF && input.section != ELF_SECTION_COMMON;
    bool has_lost = copy == COPY_DISCARDED || copy == COPY_SUPERSEDED;
    if (!is_definition || (!has_lost && is_kept(link, object, symbol, &input)))
        return;
    *ARENA_APPEND(&link->arena, list, things) = (struct warpld_removed){
        .name = symbol_name(symbol),
        .input = symbol->object == object ? code_origin(link, symbol) : object->name,
        .used = has_lost ? code_origin(link, symbol) : NULL,
        .kind = kind_of_removed(symbol, &input),
        .reason = has_lost ? reason_of_copy(symbol, copy) : reason_of_unused(link, symbol),
        .bytes = input.size,
    };
}

static void add_units(link_context *link, struct removed_list *list)
{
    for (size_t i = 0; i < link->units_count; i++)
        if (link->units[i]->skipped)
            *ARENA_APPEND(&link->arena, list, things) =
                (struct warpld_removed){.input = link->units[i]->name,
                                        .reason = WARPLD_REMOVED_UNUSED_INPUT,
                                        .bytes = link->units[i]->contents.size};
}

bool describe_removed(link_context *link, struct removed_list *list, size_t index,
                      struct warpld_removed *removed)
{
    if (!list->is_made) {
        add_units(link, list);
        for (size_t i = 0; i < link->objects_count; i++) {
            const struct input_object *object = link->objects[i];
            for (uint32_t s = 1; s < object->elf.symbols[VIEW_NATIVE].count; s++)
                if (object->symbols[s])
                    add_if_removed(link, list, object, s);
        }
    }
    list->is_made = true;
    if (index >= list->things_count)
        return false;
    *removed = list->things[index];
    return true;
}
