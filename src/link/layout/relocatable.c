/* Prepares the output of a relocatable link. Replaces the passes that assign addresses in a final
 * link.
 *
 * Requires: MERGED (sections and symbols).
 * Makes: RELINKABLE: drops empty sections, and puts symbols in the order that a final link depends
 * on.
 * Frozen after: nothing more.
 *
 * This link must not assign offsets in shared and constant memory, texture slots, or the resources
 * that kernels inherit, because they depend on all objects of the program. Therefore the final link
 * computes them, and sections, symbols, attributes and relocations remain as in the inputs. nvlink
 * 13.0.88 computes some of these values in the relocatable link, and the final program is then
 * wrong (docs/quirks/relocatable.md). */
#include <string.h>

#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/layout/layout_constant.h"
#include "link/layout/layout_global.h"
#include "link/merge/merge_state.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Drops the empty shared memory sections of kernels. The string table keeps their names. */
static void drop_empty_shared(link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++) {
        struct output_section *shared = link->functions[i]->shared;
        if (shared && shared->size == 0 &&
            !function_shared_memory(link->functions[i])->placed_alignment)
            shared->dropped = true;
    }
}

/* Sets the numbers of registers and barriers that -v reports for a kernel. With -r, these numbers
 * cover only the kernel's own code, not the functions that the kernel reaches. */
static void own_needs(link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        function->needed_registers = function->register_count;
        function->needed_barriers =
            (uint16_t)function_inherited(function, INHERITED_BARRIERS)->largest;
    }
}

static bool is_alias_of_function(const struct symbol *symbol)
{
    return symbol->function && symbol->function->alias_of;
}

/* Moves the aliases in the list of local symbols: LOCAL aliases to the end of this list, and other
 * aliases, such as WEAK ones, to the end of the globals. An alias must follow its function. The
 * function of a WEAK alias is among the globals if it was first seen as undefined. */
static void put_local_aliases_last(link_context *link)
{
    struct output *output = &link->output;
    size_t count = 0;
    struct symbol **aliases =
        ARENA_ARRAY(&link->arena, struct symbol *, output->local_symbols_count);
    for (size_t i = 0; i < output->local_symbols_count; i++)
        if (is_alias_of_function(output->local_symbols[i]))
            aliases[count++] = output->local_symbols[i];
    output_remove_local_symbols(output, is_alias_of_function);
    for (size_t i = 0; i < count; i++)
        if (aliases[i]->binding == STB_LOCAL)
            output_add_local_symbol(link, aliases[i]);
        else
            *ARENA_APPEND(&link->arena, output, globals) = aliases[i];
}

/* Moves aliases after all functions. When nvlink 13.0.88 reads the output, it assumes that the
 * first symbol in a code section is the function, and that the others are aliases (observed with
 * aliases that an earlier object refers to). */
static void put_aliases_last(link_context *link)
{
    struct output *output = &link->output;
    put_local_aliases_last(link);
    size_t count = 0, all = output->globals_count;
    struct symbol **symbols = ARENA_ARRAY(&link->arena, struct symbol *, all);
    if (all)
        memcpy(symbols, output->globals, all * sizeof(struct symbol *));
    for (size_t i = 0; i < all; i++)
        if (!is_alias_of_function(symbols[i]))
            output->globals[count++] = symbols[i];
    for (size_t i = 0; i < all; i++)
        if (is_alias_of_function(symbols[i]))
            output->globals[count++] = symbols[i];
}

static struct linked_name *numbered(link_context *link, struct linked_name *name, uint32_t number)
{
    const char *text = linked_name_text(link, name);
    return link_intern(link, arena_format(&link->arena, "%s#%u", text, (unsigned)number));
}

/* Gives each section of attributes or relocations a unique name, by appending `#` and a number if
 * necessary. No compiler makes a name with the character `#`.
 *
 * From sm_100 on, nvlink 13.0.88 finds the sections of a static function by name. If an object has
 * two static functions with the same name, nvlink gives one of them the attributes or relocations
 * of the other, or never ends. This was observed with nvlink's own -r outputs, too. With unique
 * names the final output is correct. */
static void make_list_names_unique(link_context *link)
{
    for (size_t i = 0; link_has_mercury(link) && i < link->output.sections_count; i++) {
        struct output_section *section = link->output.sections[i];
        bool is_list =
            section->content == CONTENT_RECORDS || section->content == CONTENT_RELOCATIONS;
        if (section->view != VIEW_NATIVE || !is_list)
            continue;
        if (!section->name->section)
            section->name->section = section;
        if (section->name->section == section)
            continue;
        struct other_view *other = output_add_other_view(link, section);
        section->name = numbered(link, section->name, section->creation);
        other->merged_name = numbered(link, other->merged_name, section->creation);
        if (output_counterpart(section))
            output_counterpart(section)->name =
                numbered(link, output_counterpart(section)->name, section->creation);
    }
}

static bool is_kept_shared(const struct symbol *symbol)
{
    return symbol->is_kept_shared;
}

static void remove_shared_symbols(struct output *output)
{
    output_remove_local_symbols(output, is_kept_shared);
    size_t count = 0;
    for (size_t i = 0; i < output->globals_count; i++)
        if (!output->globals[i]->is_kept_shared)
            output->globals[count++] = output->globals[i];
    output->globals_count = count;
}

/* Moves the symbols of all kept shared variables to the local symbols, in reading order.
 *
 * The addresses that the final link assigns to shared variables of the same size depend on the
 * order in which it reads their symbols. This order must be the same as in a direct link of all
 * objects. But a symbol table has all local symbols first, which would separate the local and the
 * global variables of an object. To keep the order, shared variables of every binding are put among
 * the local symbols. nvlink 13.0.88 reads such tables. It also writes them (docs/format/symbols.md:
 * weak symbols, and GLOBAL ones whose name was first seen as weak). */
static void put_shared_in_reading_order(link_context *link)
{
    remove_shared_symbols(&link->output);
    for (size_t i = 0; i < link->merge->kept_shared_count; i++)
        output_add_local_symbol(link, link->merge->kept_shared[i]);
}

void pass_relocatable(link_context *link)
{
    layout_commons(link);
    put_aliases_last(link);
    put_shared_in_reading_order(link);
    make_list_names_unique(link);
    layout_constant_drop_empty(link);
    drop_empty_shared(link);
    own_needs(link);
}
