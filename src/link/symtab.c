/* Numbers the sections and symbols and collects the strings.
 *
 * Requires: sizes of all sections with contents of their own. Makes: final order of sections,
 * section and symbol indices, string tables. Frozen after: all indices.
 *
 * Local symbols are everything that was not GLOBAL at its first appearance, section symbols
 * included, in the order of creation; the globals follow. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/scale.h"
#include "link/link.h"
#include "link/metadata.h"
#include "link/release.h"

enum { INDEX_SIZE = 4 }; /* of a long section index */

/* nvlink and ptxas 13.0.88 leave as many bytes behind .shstrtab of every file with Mercury code but
 * those whose section indices need a table: it is the room of that table's names. Those of 13.5
 * count them to the table. */
enum { MERCURY_NAMES_GAP = sizeof ".symtab_shndx" + sizeof ".nv.merc.symtab_shndx" };

/* --------------------------------------------------------------------------------------------- */
/* Strings                                                                                       */

static uint32_t append_string(link_context *link, const struct linked_name *name)
{
    struct output *output = &link->output;
    uint32_t offset = (uint32_t)output->strtab_size;
    output->strtab_size += name->name.size + UINT64_C(1);
    *ARENA_APPEND(ARENA, output, strtab) = name;
    return offset;
}

/* Every string stands once, where it was first used. */
static void add_string(link_context *link, struct linked_name *name)
{
    if (!name->name.offset)
        name->name.offset = append_string(link, name);
}

/* A symbol without a name has offset 0; an empty prototype takes a place of its own (observed). */
static void add_symbol_name(link_context *link, const struct symbol *symbol)
{
    if (symbol->name->name.size && !symbol->dropped)
        add_string(link, symbol->name);
}

/* Behind another string; the text is as many zeros. */
static void leave_room(link_context *link, uint32_t size)
{
    struct linked_name *room = ARENA_NEW(ARENA, struct linked_name);
    room->name = (struct name){.text = ARENA_ARRAY(ARENA, char, size), .size = size - 1};
    *ARENA_APPEND(ARENA, &link->output, shstrtab) = room;
}

/* Room for a longer one than the name. */
static uint32_t append_section_name(link_context *link, const struct linked_name *name,
                                    uint32_t room)
{
    struct output *output = &link->output;
    uint32_t offset = (uint32_t)output->shstrtab_size;
    output->shstrtab_size += room + UINT64_C(1);
    *ARENA_APPEND(ARENA, output, shstrtab) = name;
    if (room > name->name.size)
        leave_room(link, room - name->name.size);
    return offset;
}

static void add_section_string(link_context *link, struct linked_name *name, uint32_t room)
{
    if (!name->shstrtab_offset)
        name->shstrtab_offset = append_section_name(link, name, room);
}

/* The names that are left have their places in the order of their creation. */
static struct linked_name *next_left_name(const struct output *output, size_t *next)
{
    while (!output->left_names[*next].name)
        ++*next;
    return output->left_names[(*next)++].name;
}

/* The native name of a constant bank stands where its longer Mercury name was (observed), but that
 * stays of a section that is not in the output. */
static void add_section_name(link_context *link, const struct output_section *section)
{
    struct linked_name *name = section->dropped ? output_merged_name(section) : section->name;
    if (section->nameless)
        return;
    uint32_t size = output_merged_name(section)->name.size;
    add_section_string(link, name, size > name->name.size ? size : name->name.size);
}

static void append_own_name(link_context *link, struct output_section *section)
{
    output_add_other_view(link, section)->name_offset =
        append_section_name(link, section->name, section->name->name.size);
}

/* Lists that are not in the output take no room (observed in 11 of 120 programs). */
static bool is_renamed(const struct output_section *section)
{
    bool is_gone = section->content == CONTENT_RELOCATIONS && section->dropped;
    return output_merged_name(section) != section->name && !section->nameless && !is_gone;
}

static void name_late_banks(link_context *link)
{
    struct output *output = &link->output;
    for (size_t i = 0; i < output->late_count; i++)
        if (!output->late[i]->nameless)
            output_add_other_view(link, output->late[i])->string_offset =
                append_string(link, output->late[i]->name);
}

/* nvlink makes room behind the strings for the Mercury names that constant banks and their
 * relocations had, and puts the native names of the banks there (observed in 476 programs). What
 * leaves only its .rel name does not count (9 links). */
static void collect_native_names(link_context *link)
{
    struct output *output = &link->output;
    uint64_t room = 0, used = 0;
    for (size_t i = 0; link_has_mercury(link) && i < output->sections_count; i++) {
        struct output_section *section = output->sections[i];
        if (!is_renamed(section) || section->type == SHT_REL)
            continue;
        room += output_merged_name(section)->name.size;
        if (section->content != CONTENT_RELOCATIONS) {
            add_string(link, section->name);
            used += section->name->name.size + UINT64_C(1);
        }
    }
    output->strtab_gap = room > used ? room - used : 0;
    name_late_banks(link);
}

/* --------------------------------------------------------------------------------------------- */
/* Sections                                                                                      */

static uint32_t code_index(const struct output_section *bank)
{
    return bank->info ? bank->info->index : 0;
}

static int by_code(const void *a, const void *b)
{
    const struct output_section *first = *(const struct output_section *const *)a;
    const struct output_section *second = *(const struct output_section *const *)b;
    if (code_index(first) != code_index(second))
        return code_index(first) < code_index(second) ? -1 : 1;
    return first->creation < second->creation ? -1 : first->creation > second->creation;
}

/* Parameter banks that stand last are in the order of their kernels' code, whatever the order in
 * which the objects have them (observed in 10 of 120 programs for sm_100 to sm_121). */
static void order_late_banks(struct output *output)
{
    if (!output->late_count)
        return;
    uint32_t index = UINT32_MAX;
    for (size_t i = 0; i < output->late_count; i++)
        if (!output->late[i]->dropped && output->late[i]->index < index)
            index = output->late[i]->index;
    qsort(output->late, output->late_count, sizeof *output->late, by_code);
    for (size_t i = 0; i < output->late_count; i++) {
        struct output_section *bank = output->late[i];
        if (bank->dropped)
            continue;
        bank->index = index;
        output->ordered[index++] = bank;
    }
}

/* Ranks of the Mercury view are the last ones. */
static uint64_t sum_before(const uint32_t *counts, enum section_rank end)
{
    uint64_t sum = 0;
    for (int rank = 0; rank < (int)end; rank++)
        sum += counts[rank];
    return sum;
}

/* The table of long indices is there only when some index needs it: nvlink counts the null section.
 * Where there are two views, it looks twice. At first it looks at the native sections, as ever;
 * when the Mercury sections are the ones that need it, which now are counted without the null
 * section, the native table comes behind memory and has a second name (observed with 66,025, 72,545
 * and 112,545 sections, the limits with 65,279 to 65,281). */
static void decide_index_table(link_context *link, const uint32_t *counts)
{
    struct output_section *table = link->output.index_table;
    bool may_need = link->output.sections_count >= SHN_LORESERVE;
    bool is_needed = 1 + sum_before(counts, RANK_MERCURY_TEXT) >= SHN_LORESERVE;
    if (may_need && output_twin(table) && !is_needed) {
        table->rank = RANK_INDICES;
        is_needed = sum_before(counts, RANK_COUNT) >= SHN_LORESERVE;
    }
    table->dropped = !is_needed;
    if (!output_twin(table))
        return;
    output_twin(table)->dropped = !is_needed;
    if (table->rank != RANK_INDICES)
        output_twin(table)->rank = RANK_MERCURY_EARLY_INDICES;
}

/* Those that stay, but the tables of long indices, of which it is not known yet. */
static void count_sections(const struct output *output, uint32_t *counts)
{
    for (size_t i = 0; i < output->sections_count; i++) {
        const struct output_section *section = output->sections[i];
        if (!section->dropped && section->content != CONTENT_INDICES)
            counts[section->rank]++;
    }
}

static void count_index_table(const struct output_section *table, uint32_t *counts)
{
    if (table && !table->dropped)
        counts[table->rank]++;
}

static bool is_late(const struct output_section *section)
{
    return section->rank == RANK_PARAMETERS;
}

/* The names of creation come first. */
static void name_section(link_context *link, const struct output_section *section,
                         size_t *next_left)
{
    const struct output *output = &link->output;
    if (section == output->left_section) {
        struct linked_name *name = next_left_name(output, next_left);
        add_section_string(link, name, name->name.size);
    } else if (section->view == VIEW_NATIVE && !is_late(section)) {
        add_section_name(link, section);
    }
}

/* Then come those that only the native view has, before them once more that of late long indices,
 * then those of Mercury sections, each its own (observed in 476 programs for sm_100 to sm_121). */
static void name_other_sections(link_context *link)
{
    struct output *output = &link->output;
    if (output->index_table->rank == RANK_INDICES && !output->index_table->dropped)
        append_own_name(link, output->index_table);
    for (size_t i = 0; i < output->late_count; i++)
        if (!output->late[i]->nameless)
            append_own_name(link, output->late[i]);
    for (uint32_t i = 1; link_has_mercury(link) && i < output->ordered_count; i++) {
        struct output_section *section = output->ordered[i];
        if (section->view == VIEW_MERCURY)
            append_own_name(link, section);
    }
}

/* The sections are many, and each walk over them waits for memory: they are counted, and then
 * placed and named. */
static void count_ranks(link_context *link)
{
    struct output *output = &link->output;
    uint32_t *start = output->rank_start;
    start[0] = 1;
    count_sections(output, start + 1);
    decide_index_table(link, start + 1);
    count_index_table(output->index_table, start + 1);
    count_index_table(output_twin(output->index_table), start + 1);
    for (int rank = 0; rank < RANK_COUNT; rank++)
        start[rank + 1] += start[rank];
    output->ordered_count = start[RANK_COUNT];
    output->ordered = ARENA_ARRAY(ARENA, struct output_section *, output->ordered_count);
}

static void order_sections(link_context *link)
{
    struct output *output = &link->output;
    uint32_t next[RANK_COUNT];
    memcpy(next, output->rank_start, sizeof next);
    size_t next_left = 0;
    for (size_t i = 0; i < output->sections_count; i++) {
        struct output_section *section = output->sections[i];
        if (!release_names_what_is_there(link))
            name_section(link, section, &next_left);
        if (section->dropped)
            continue;
        section->index = next[section->rank]++;
        output->ordered[section->index] = section;
    }
    order_late_banks(output);
    if (!release_names_what_is_there(link))
        name_other_sections(link);
}

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

/* The late table of the Mercury view has as many words as there are native symbols (observed). */
static void set_index_sizes(struct output *output)
{
    struct output_section *table = output->index_table;
    if (table->dropped)
        return;
    table->size = (uint64_t)output->symbol_count * INDEX_SIZE;
    if (output_twin(table) && table->rank == RANK_INDICES)
        output_twin(table)->size = table->size;
    else if (output_twin(table) && output->mercury_symbols)
        output_twin(table)->size = output->mercury_symbols->size / ELF_SYMBOL_SIZE * INDEX_SIZE;
}

/* Dropped sections leave their names in both tables, as in nvlink. Returns the next index. */
static uint32_t number_locals(link_context *link, uint32_t next)
{
    const struct output *output = &link->output;
    bool has_names = !release_names_what_is_there(link);
    size_t next_left = 0, next_symbol = 0;
    for (size_t i = 0; i < output->locals_count; i++) {
        struct output_section *section = output->locals[i];
        if (section == output->symbol_slot) {
            struct symbol *symbol = output->local_symbols[next_symbol++];
            symbol->output_index = symbol->dropped ? 0 : next++;
            if (has_names)
                add_symbol_name(link, symbol);
        } else if (section == output->left_section) {
            if (has_names)
                add_string(link, next_left_name(output, &next_left));
        } else {
            if (output_section_has_symbol(section))
                section->symbol_index = next++;
            if (has_names && !section->nameless)
                add_string(link, output_merged_name(section));
        }
    }
    return next;
}

static uint32_t number_globals(link_context *link, uint32_t next)
{
    const struct output *output = &link->output;
    for (size_t i = 0; i < output->globals_count; i++) {
        struct symbol *symbol = output->globals[i];
        if (!symbol->name_only && !symbol->dropped)
            symbol->output_index = next++;
        if (!release_names_what_is_there(link))
            add_symbol_name(link, symbol);
    }
    return next;
}

static uint32_t number_late(const struct output *output, uint32_t next)
{
    for (size_t i = 0; i < output->late_count; i++)
        if (output_section_has_symbol(output->late[i]))
            output->late[i]->symbol_index = next++;
    return next;
}

static void name_prototypes(link_context *link)
{
    for (size_t i = 0; i < link->output.prototypes_count; i++)
        add_string(link, link->output.prototypes[i]);
}

/* In .strtab the names of prototypes come first, then those of symbols, or all come later. */
static void number_symbols(link_context *link)
{
    struct output *output = &link->output;
    if (!release_names_what_is_there(link))
        name_prototypes(link);
    output->first_global = number_locals(link, 1);
    output->symbol_count = number_globals(link, output->first_global);
}

/* --------------------------------------------------------------------------------------------- */
/* Only what is there                                                                            */

static void name_sections_in_order(link_context *link)
{
    const struct output *output = &link->output;
    for (uint32_t i = 1; i < output->ordered_count; i++) {
        struct output_section *section = output->ordered[i];
        if (section->view == VIEW_MERCURY || is_late(section) || section->rank == RANK_INDICES)
            append_own_name(link, section);
        else
            add_section_string(link, section->name, section->name->name.size);
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
            add_symbol_name(link, symbol);
        else if (!symbol && section != output->left_section && section->symbol_index)
            add_string(link, output_symbol_name(section, view, true));
    }
}

/* An empty one has the place of no name. */
static void name_prototype(link_context *link, struct linked_name *prototype)
{
    if (prototype->name.size)
        add_string(link, prototype);
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

/* Of sections and symbols in their order, of both views, then of prototypes; where there is data
 * about functions, also its texts, which stand among those that nobody may use. */
static void name_what_is_there(link_context *link)
{
    struct output *output = &link->output;
    name_sections_in_order(link);
    name_local_symbols(link, VIEW_NATIVE);
    for (size_t i = 0; i < output->globals_count; i++)
        if (output->globals[i]->output_index)
            add_symbol_name(link, output->globals[i]);
    name_late_banks(link);
    name_local_symbols(link, VIEW_MERCURY);
    name_used_prototypes(link);
    if (output->function_data && !output->function_data->dropped)
        name_prototypes(link);
}

static void leave_room_of_indices(link_context *link)
{
    struct output *output = &link->output;
    if (!output->mercury_symbols || !output->index_table->dropped)
        return;
    if (!release_names_what_is_there(link)) {
        output->shstrtab_gap = MERCURY_NAMES_GAP;
        return;
    }
    leave_room(link, MERCURY_NAMES_GAP);
    output->shstrtab_size += MERCURY_NAMES_GAP;
}

static void number_last_symbols(link_context *link)
{
    struct output *output = &link->output;
    uint32_t end = output->symbol_count;
    output->symbol_count = number_late(output, end);
    if (output->mercury_symbols)
        output->mercury_symbols->size = (uint64_t)end * ELF_SYMBOL_SIZE;
    output->has_late_symbols = output->mercury_symbols && end < output->symbol_count;
    output->symbol_table->size = (uint64_t)output->symbol_count * ELF_SYMBOL_SIZE;
    set_index_sizes(output);
}

/* Sections and symbols have each a string table, and their indices do not depend on each other.
 * Neither takes from the link's memory: the tables have room for all strings already. */
static void number_part(void *context, unsigned worker, size_t part)
{
    static void (*const PARTS[])(link_context * link) = {order_sections, number_symbols};
    (void)worker;
    PARTS[part](context);
}

/* But names of Mercury sections do, which one thread alone may. */
static unsigned numbering_workers(const link_context *link)
{
    enum { SECTIONS_OF_A_WORKER = LARGE_FROM(4096, 8) };
    return link_has_mercury(link)
               ? 1
               : link_workers(link, link->output.sections_count / SECTIONS_OF_A_WORKER);
}

/* --------------------------------------------------------------------------------------------- */

static void reserve_strings(link_context *link)
{
    struct output *output = &link->output;
    output->strtab_size = output->shstrtab_size = 1;
    ARENA_RESERVE(ARENA, output, shstrtab, output->sections_count + output->late_count);
    ARENA_RESERVE(ARENA, output, strtab,
                  output->prototypes_count + output->locals_count + output->globals_count +
                      output->late_count);
}

static void settle_strings(link_context *link)
{
    struct output *output = &link->output;
    output->string_table->size = output->strtab_size;
    output->section_names->size = output->shstrtab_size;
    if (output->strtab_size > UINT32_MAX || output->shstrtab_size > UINT32_MAX)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUTPUT_STRINGS, NULL, NULL);
}

void symtab(link_context *link)
{
    reserve_strings(link);
    count_ranks(link);
    uint32_t rooms[] = {link->output.strtab_capacity, link->output.shstrtab_capacity};
    parallel_for(numbering_workers(link), 2, number_part, link);
    assert(link_has_mercury(link) || (rooms[0] == link->output.strtab_capacity &&
                                      rooms[1] == link->output.shstrtab_capacity));
    (void)rooms; /* without assertions */
    number_last_symbols(link);
    if (release_names_what_is_there(link))
        name_what_is_there(link);
    else
        collect_native_names(link);
    leave_room_of_indices(link);
    settle_strings(link);
    trace_unified_symbols(link);
}
