/* The two string tables; see string_tables.h.
 *
 * Part of pass_symtab. */
#include "link/write/string_tables.h"

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/name_table.h"
#include "format/section_type.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/release.h"
#include "link/model/symbols.h"

/* Number of bytes after .shstrtab that nvlink and ptxas 13.0.88 leave unused in each file with
 * Mercury code and without a table of long section indices. The names of this table would take
 * these bytes in both views. Release 13.5 includes them in the size of .shstrtab. */
enum { MERCURY_NAMES_GAP = sizeof ".symtab_shndx" + sizeof ".nv.merc.symtab_shndx" };

static uint32_t append_string(link_context *link, const struct linked_name *name)
{
    struct output *output = &link->output;
    uint32_t offset = (uint32_t)output->strtab_size;
    output->strtab_size += name->name.size + UINT64_C(1);
    *ARENA_APPEND(&link->arena, output, strtab) = name;
    return offset;
}

/* Adds a string to .strtab. Each string is stored once, in the order of first use. */
void string_table_add(link_context *link, struct linked_name *name)
{
    if (!name->name.offset)
        name->name.offset = append_string(link, name);
}

/* Adds the name of a symbol. A symbol without a name has offset 0. An empty prototype has its own
 * entry instead (observed; not in the releases of present_names.c). */
void string_table_add_symbol_name(link_context *link, const struct symbol *symbol)
{
    if (symbol->name->name.size && !symbol->dropped)
        string_table_add(link, symbol->name);
}

void string_table_add_prototypes(link_context *link)
{
    for (size_t i = 0; i < link->output.prototypes_count; i++)
        string_table_add(link, link->output.prototypes[i]);
}

/* Adds zero bytes after the last string of .shstrtab. */
static void append_padding(link_context *link, uint32_t size)
{
    struct linked_name *padding = ARENA_NEW(&link->arena, struct linked_name);
    padding->name = (struct name){.text = ARENA_ARRAY(&link->arena, char, size), .size = size - 1};
    *ARENA_APPEND(&link->arena, &link->output, shstrtab) = padding;
}

/* Adds a name to .shstrtab. `space` is the length to reserve, at least that of the name. */
static uint32_t append_section_name(link_context *link, const struct linked_name *name,
                                    uint32_t space)
{
    struct output *output = &link->output;
    uint32_t offset = (uint32_t)output->shstrtab_size;
    output->shstrtab_size += space + UINT64_C(1);
    *ARENA_APPEND(&link->arena, output, shstrtab) = name;
    if (space > name->name.size)
        append_padding(link, space - name->name.size);
    return offset;
}

void string_table_add_section_name(link_context *link, struct linked_name *name, uint32_t space)
{
    if (!name->shstrtab_offset)
        name->shstrtab_offset = append_section_name(link, name, space);
}

/* Returns the next bare name; see string_tables.h. */
struct linked_name *string_tables_next_bare_name(const struct output *output, size_t *next)
{
    while (!output->bare_names[*next].name)
        ++*next;
    return output->bare_names[(*next)++].name;
}

void string_table_add_own_section_name(link_context *link, struct output_section *section)
{
    output_add_other_view(link, section)->name_offset =
        append_section_name(link, section->name, section->name->name.size);
}

/* Returns true if nvlink reserves space in .strtab for the Mercury name that the section had during
 * merge. nvlink does so if the native name is different, except for a list of relocations that is
 * not in the output (observed in 11 of 120 programs). */
static bool is_renamed(const struct output_section *section)
{
    bool is_removed = section->content == CONTENT_RELOCATIONS && section->dropped;
    return output_merged_name(section) != section->name && !section->nameless && !is_removed;
}

void string_table_add_late_banks(link_context *link)
{
    struct output *output = &link->output;
    for (size_t i = 0; i < output->late_count; i++)
        if (!output->late[i]->nameless)
            output_add_other_view(link, output->late[i])->string_offset =
                append_string(link, output->late[i]->name);
}

/* After all other strings, nvlink reserves space for the Mercury names that constant banks and
 * their lists of relocations had during merge. It stores the native names of the banks in that
 * space (observed in 476 programs). It reserves no space for an empty bank, of which only the name
 * of the .rel section remains (9 links). */
void string_tables_add_native_names(link_context *link)
{
    struct output *output = &link->output;
    uint64_t space = 0, used = 0;
    for (size_t i = 0; link_has_mercury(link) && i < output->sections_count; i++) {
        struct output_section *section = output->sections[i];
        if (!is_renamed(section) || section->type == SHT_REL)
            continue;
        space += output_merged_name(section)->name.size;
        if (section->content != CONTENT_RELOCATIONS) {
            string_table_add(link, section->name);
            used += section->name->name.size + UINT64_C(1);
        }
    }
    output->strtab_gap = space > used ? space - used : 0;
    string_table_add_late_banks(link);
}

void string_tables_pad_for_index_tables(link_context *link)
{
    struct output *output = &link->output;
    if (!output->mercury_symbols || !output->index_table->dropped)
        return;
    if (!release_names_only_written(link)) {
        output->shstrtab_gap = MERCURY_NAMES_GAP;
        return;
    }
    append_padding(link, MERCURY_NAMES_GAP);
    output->shstrtab_size += MERCURY_NAMES_GAP;
}

void string_tables_reserve(link_context *link)
{
    struct output *output = &link->output;
    output->strtab_size = output->shstrtab_size = 1;
    ARENA_RESERVE(&link->arena, output, shstrtab, output->sections_count + output->late_count);
    ARENA_RESERVE(&link->arena, output, strtab,
                  output->prototypes_count + output->locals_count + output->globals_count +
                      output->late_count);
}

void string_tables_settle(link_context *link)
{
    struct output *output = &link->output;
    output->string_table->size = output->strtab_size;
    output->section_names->size = output->shstrtab_size;
    if (output->strtab_size > UINT32_MAX || output->shstrtab_size > UINT32_MAX)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUTPUT_STRINGS, NULL, NULL);
}
