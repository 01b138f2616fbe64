/* Numbers the sections and symbols and collects the strings.
 *
 * Requires: sizes of all sections with contents of their own. Makes: final order of sections,
 * section and symbol indices, string tables. Frozen after: all indices.
 *
 * Local symbols are everything that was not GLOBAL at its first appearance, section symbols
 * included, in the order of creation; the globals follow. */
#include <assert.h>

#include "link/link.h"

enum { RANK_COUNT = RANK_NOBITS + 1 };

/* --------------------------------------------------------------------------------------------- */
/* Sections                                                                                      */

static void order_sections(link_context *link)
{
    struct output *output = &link->output;
    output->ordered = ARENA_ARRAY(ARENA, struct output_section *, output->sections_count + 1);
    uint32_t count = 1;
    for (int rank = 0; rank < RANK_COUNT; rank++)
        for (size_t i = 0; i < output->sections_count; i++) {
            struct output_section *section = output->sections[i];
            if (section->rank != rank || section->dropped)
                continue;
            section->index = count;
            output->ordered[count++] = section;
        }
    output->ordered_count = count;
}

/* The table of long indices is there only when some index needs it. */
static void decide_index_table(link_context *link)
{
    struct output *output = &link->output;
    size_t count = 1;
    for (size_t i = 0; i < output->sections_count; i++)
        count += !output->sections[i]->dropped;
    output->index_table->dropped = count - 1 < SHN_LORESERVE;
}

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

static void number_symbols(link_context *link)
{
    struct output *output = &link->output;
    uint32_t count = 1;
    for (size_t i = 0; i < output->locals_count; i++) {
        struct local_slot *slot = &output->locals[i];
        if (slot->symbol)
            slot->symbol->output_index = slot->symbol->dropped ? 0 : count++;
        else if (output_section_has_symbol(slot->section))
            slot->section->symbol_index = count++;
    }
    output->first_global = count;
    for (size_t i = 0; i < output->globals_count; i++)
        if (!output->globals[i]->name_only && !output->globals[i]->dropped)
            output->globals[i]->output_index = count++;
    output->symbol_count = count;
    output->symbol_table->size = (uint64_t)count * ELF_SYMBOL_SIZE;
    if (!output->index_table->dropped)
        output->index_table->size = (uint64_t)count * 4;
}

/* --------------------------------------------------------------------------------------------- */
/* Strings                                                                                       */

/* Every string stands once, where it was first used. */
static void add_string(link_context *link, struct linked_name *name)
{
    struct output *output = &link->output;
    if (name->strtab_offset)
        return;
    name->strtab_offset = (uint32_t)output->strtab_size;
    output->strtab_size += name->name.size + 1;
    *ARENA_APPEND(ARENA, output, strtab) = name;
}

/* A symbol without a name has offset 0; an empty prototype takes a place of its own (observed). */
static void add_symbol_name(link_context *link, const struct symbol *symbol)
{
    if (symbol->name->name.size && !symbol->dropped)
        add_string(link, symbol->name);
}

static void add_section_name(link_context *link, struct linked_name *name)
{
    struct output *output = &link->output;
    if (name->shstrtab_offset)
        return;
    name->shstrtab_offset = (uint32_t)output->shstrtab_size;
    output->shstrtab_size += name->name.size + 1;
    *ARENA_APPEND(ARENA, output, shstrtab) = name;
}

/* Dropped sections leave their names in both tables, as in nvlink. */
static void collect_strings(link_context *link)
{
    struct output *output = &link->output;
    output->strtab_size = output->shstrtab_size = 1;
    for (size_t i = 0; i < output->sections_count; i++)
        if (!output->sections[i]->nameless)
            add_section_name(link, output->sections[i]->name);
    for (size_t i = 0; i < output->prototypes_count; i++)
        add_string(link, output->prototypes[i]);
    for (size_t i = 0; i < output->locals_count; i++) {
        const struct local_slot *slot = &output->locals[i];
        if (slot->symbol)
            add_symbol_name(link, slot->symbol);
        else if (!slot->section->nameless)
            add_string(link, slot->section->name);
    }
    for (size_t i = 0; i < output->globals_count; i++)
        add_symbol_name(link, output->globals[i]);
    output->string_table->size = output->strtab_size;
    output->section_names->size = output->shstrtab_size;
    if (output->strtab_size > UINT32_MAX || output->shstrtab_size > UINT32_MAX)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUTPUT_STRINGS, NULL, NULL);
}

void symtab(link_context *link)
{
    assert(link->stage == STAGE_SCANNED);
    decide_index_table(link);
    order_sections(link);
    number_symbols(link);
    collect_strings(link);
}
