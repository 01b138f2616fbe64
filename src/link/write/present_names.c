/* Fills the string tables in the way of newer releases, whose tables have only the names of written
 * sections and symbols, in their order. See string_tables.h.
 *
 * Part of pass_symtab. */
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/write/metadata.h"
#include "link/write/string_tables.h"

static void name_sections_in_order(link_context *link)
{
    const struct output *output = &link->output;
    for (uint32_t i = 1; i < output->ordered_count; i++) {
        struct output_section *section = output->ordered[i];
        if (section->view == VIEW_MERCURY || section->rank == RANK_PARAMETERS ||
            section->rank == RANK_INDICES)
            string_table_add_own_section_name(link, section);
        else
            string_table_add_section_name(link, section->name, section->name->name.size);
    }
}

static void name_local_symbols(link_context *link, enum code_view view)
{
    const struct output *output = &link->output;
    size_t next_symbol = 0;
    for (size_t i = 0; i < output->locals_count; i++) {
        struct output_section *section = output->locals[i];
        const struct symbol *symbol = NULL;
        if (section == output->symbol_slot)
            symbol = output->local_symbols[next_symbol++];
        if (symbol && symbol->output_index)
            string_table_add_symbol_name(link, symbol);
        else if (!symbol && section != output->bare_section && section->symbol_index)
            string_table_add(link, output_symbol_name(section, view, true));
    }
}

/* Adds a prototype if it is not empty. In these releases, an empty prototype has offset 0, like a
 * symbol without a name. */
static void name_prototype(link_context *link, struct linked_name *prototype)
{
    if (prototype->name.size)
        string_table_add(link, prototype);
}

static void name_used_prototypes(link_context *link)
{
    for (int g = 0; g < CALLGRAPH_GROUP_COUNT; g++) {
        const struct call_group *group = &link->callgraph.groups[g];
        for (size_t i = 0; i < group->pairs_count; i++)
            if (!group->pairs[i].second)
                name_prototype(link, group->pairs[i].prototype);
    }
    for (size_t i = 0; i < link->functions_count; i++)
        if (metadata_has_prototype(link->functions[i]))
            name_prototype(link, link->functions[i]->prototype);
}

/* Adds the names of sections and symbols of both views in their order, and then those of
 * prototypes. If the output has the section of data about functions, all prototypes are added,
 * because the texts of that section are in the list of prototypes. */
void string_tables_name_only_written(link_context *link)
{
    struct output *output = &link->output;
    name_sections_in_order(link);
    name_local_symbols(link, VIEW_NATIVE);
    for (size_t i = 0; i < output->globals_count; i++)
        if (output->globals[i]->output_index)
            string_table_add_symbol_name(link, output->globals[i]);
    string_table_add_late_banks(link);
    name_local_symbols(link, VIEW_MERCURY);
    name_used_prototypes(link);
    if (output->function_data && !output->function_data->dropped)
        string_table_add_prototypes(link);
}
