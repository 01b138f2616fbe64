/* Numbers the sections and symbols and collects the strings.
 *
 * Requires: RELINKABLE (with -r: the order of symbols), DESCRIBED and SCANNED (sizes of all
 * sections with their own contents, symbols that are dropped).
 * Makes: INDEXED, final order of sections, section and symbol indices, string tables.
 * Frozen after: INDICES.
 *
 * The local symbols come first, in the order of creation. They are the section symbols and all
 * symbols that were not GLOBAL when first seen. The global symbols follow. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/release.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"
#include "link/write/string_tables.h"

enum { INDEX_SIZE = 4 }; /* bytes of a long section index */

/* --------------------------------------------------------------------------------------------- */
/* Sections                                                                                      */

static uint32_t code_index(const struct output_section *bank)
{
    return bank->info ? bank->info->index : 0;
}

static int banks_by_code(const void *a, const void *b)
{
    const struct output_section *first = *(const struct output_section *const *)a;
    const struct output_section *second = *(const struct output_section *const *)b;
    if (code_index(first) != code_index(second))
        return code_index(first) < code_index(second) ? -1 : 1;
    return first->creation < second->creation ? -1 : first->creation > second->creation;
}

/* Sorts the parameter banks at the end of the native sections by the section index of their
 * kernels' code. The order of the banks in the objects does not matter (observed in 10 of 120
 * programs for sm_100 to sm_121). */
static void order_late_banks(struct output *output)
{
    if (!output->late_count)
        return;
    uint32_t index = UINT32_MAX;
    for (size_t i = 0; i < output->late_count; i++)
        if (!output->late[i]->dropped && output->late[i]->index < index)
            index = output->late[i]->index;
    qsort(output->late, output->late_count, sizeof *output->late, banks_by_code);
    for (size_t i = 0; i < output->late_count; i++) {
        struct output_section *bank = output->late[i];
        if (bank->dropped)
            continue;
        bank->index = index;
        output->ordered[index++] = bank;
    }
}

/* Returns the number of sections of the ranks before `end`. The ranks of the Mercury view follow
 * all others. */
static uint64_t sum_before(const uint32_t *counts, enum section_rank end)
{
    uint64_t sum = 0;
    for (int rank = 0; rank < (int)end; rank++)
        sum += counts[rank];
    return sum;
}

/* Decides whether the output has tables of long section indices (.symtab_shndx), which nvlink
 * writes only if an index needs one.
 *
 * With one view, nvlink counts the null section and all sections, even removed ones (observed with
 * 13,053 kernels, 8,159 with functions and 10,878 with shared memory in as many objects).
 *
 * With two views it checks twice. First it counts the null section and the native sections that are
 * written. Then it counts all sections that are written, without the null section. If only the
 * second count exceeds the limit, the native table is late: it follows the NOBITS sections, and its
 * name is stored a second time. Observed with 66,025, 72,545 and 112,545 sections; the limits were
 * found with 65,279 to 65,281. */
static void decide_index_table(link_context *link, const uint32_t *counts)
{
    struct output_section *table = link->output.index_table;
    struct output_section *counterpart = output_counterpart(table);
    bool may_need = link->output.sections_count >= SHN_LORESERVE;
    size_t counted =
        counterpart ? sum_before(counts, RANK_MERCURY_TEXT) : link->output.sections_count;
    bool is_needed = 1 + counted >= SHN_LORESERVE;
    if (may_need && counterpart && !is_needed) {
        table->rank = RANK_INDICES;
        is_needed = sum_before(counts, RANK_COUNT) >= SHN_LORESERVE;
    }
    table->dropped = !is_needed;
    if (!counterpart)
        return;
    counterpart->dropped = !is_needed;
    if (table->rank != RANK_INDICES)
        counterpart->rank = RANK_MERCURY_EARLY_INDICES;
}

/* Counts the sections that are written, by rank. Tables of long indices are not counted, because
 * decide_index_table runs later. */
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

/* Adds the name of a section. The native name of a constant bank is stored in the space of its
 * longer Mercury name (observed). But if the section is not in the output, the Mercury name is
 * stored. */
static void add_section_name(link_context *link, const struct output_section *section)
{
    struct linked_name *name = section->dropped ? output_merged_name(section) : section->name;
    if (section->nameless)
        return;
    uint32_t size = output_merged_name(section)->name.size;
    string_table_add_section_name(link, name, size > name->name.size ? size : name->name.size);
}

/* Adds the name of a native section, or a bare name (see struct bare_name). These names come first
 * in .shstrtab, in the order in which the sections were created. */
static void name_section(link_context *link, const struct output_section *section,
                         size_t *next_bare)
{
    const struct output *output = &link->output;
    if (section == output->bare_section) {
        struct linked_name *name = string_tables_next_bare_name(output, next_bare);
        string_table_add_section_name(link, name, name->name.size);
    } else if (section->view == VIEW_NATIVE && section->rank != RANK_PARAMETERS) {
        add_section_name(link, section);
    }
}

/* Adds the names that follow those of name_section in .shstrtab:
 *
 *   - the second copy of the name of the native table of long indices, if it is late
 *     (decide_index_table)
 *   - the names of parameter banks at the end of the native sections
 *   - the names of Mercury sections
 *
 * Each of these sections has its own copy of its name (observed in 476 programs for sm_100 to
 * sm_121). */
static void name_other_sections(link_context *link)
{
    struct output *output = &link->output;
    if (output->index_table->rank == RANK_INDICES && !output->index_table->dropped)
        string_table_add_own_section_name(link, output->index_table);
    for (size_t i = 0; i < output->late_count; i++)
        if (!output->late[i]->nameless)
            string_table_add_own_section_name(link, output->late[i]);
    for (uint32_t i = 1; link_has_mercury(link) && i < output->ordered_count; i++) {
        struct output_section *section = output->ordered[i];
        if (section->view == VIEW_MERCURY)
            string_table_add_own_section_name(link, section);
    }
}

/* Counts the sections of each rank, and finds the index at which each rank starts. A second loop
 * over the sections, in order_sections, both numbers and names them. Separate loops would be
 * slower, because each loop over so many sections waits for memory. */
static void count_ranks(link_context *link)
{
    struct output *output = &link->output;
    uint32_t *start = output->rank_start;
    start[0] = 1;
    count_sections(output, start + 1);
    decide_index_table(link, start + 1);
    count_index_table(output->index_table, start + 1);
    count_index_table(output_counterpart(output->index_table), start + 1);
    for (int rank = 0; rank < RANK_COUNT; rank++)
        start[rank + 1] += start[rank];
    output->ordered_count = start[RANK_COUNT];
    output->ordered = ARENA_ARRAY(&link->arena, struct output_section *, output->ordered_count);
}

static void order_sections(link_context *link)
{
    struct output *output = &link->output;
    uint32_t next[RANK_COUNT];
    memcpy(next, output->rank_start, sizeof next);
    size_t next_bare = 0;
    for (size_t i = 0; i < output->sections_count; i++) {
        struct output_section *section = output->sections[i];
        if (!release_names_only_written(link))
            name_section(link, section, &next_bare);
        if (section->dropped)
            continue;
        section->index = next[section->rank]++;
        output->ordered[section->index] = section;
    }
    order_late_banks(output);
    if (!release_names_only_written(link))
        name_other_sections(link);
}

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

/* Sets the sizes of the tables of long indices. If the native table is late (RANK_INDICES), the
 * Mercury table has as many words as there are native symbols (observed). */
static void set_index_sizes(struct output *output)
{
    struct output_section *table = output->index_table;
    if (table->dropped)
        return;
    table->size = (uint64_t)output->symbol_count * INDEX_SIZE;
    if (output_counterpart(table) && table->rank == RANK_INDICES)
        output_counterpart(table)->size = table->size;
    else if (output_counterpart(table) && output->mercury_symbols)
        output_counterpart(table)->size =
            output->mercury_symbols->size / ELF_SYMBOL_SIZE * INDEX_SIZE;
}

/* Numbers the local symbols and adds their names. As in nvlink, both string tables contain the
 * names of removed sections. Returns the next index. */
static uint32_t number_locals(link_context *link, uint32_t next)
{
    const struct output *output = &link->output;
    bool has_names = !release_names_only_written(link);
    size_t next_bare = 0, next_symbol = 0;
    for (size_t i = 0; i < output->locals_count; i++) {
        struct output_section *section = output->locals[i];
        if (section == output->symbol_slot) {
            struct symbol *symbol = output->local_symbols[next_symbol++];
            symbol->output_index = symbol->dropped ? 0 : next++;
            if (has_names)
                string_table_add_symbol_name(link, symbol);
        } else if (section == output->bare_section) {
            if (has_names)
                string_table_add(link, string_tables_next_bare_name(output, &next_bare));
        } else {
            if (output_section_has_symbol(section))
                section->symbol_index = next++;
            if (has_names && !section->nameless)
                string_table_add(link, output_merged_name(section));
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
        if (!release_names_only_written(link))
            string_table_add_symbol_name(link, symbol);
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

/* Numbers the symbols. In .strtab the prototypes precede the names of symbols. For releases whose
 * string tables have only names that are written, no name is added here:
 * string_tables_name_only_written adds them all. */
static void number_symbols(link_context *link)
{
    struct output *output = &link->output;
    if (!release_names_only_written(link))
        string_table_add_prototypes(link);
    output->first_global = number_locals(link, 1);
    output->symbol_count = number_globals(link, output->first_global);
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

/* Numbers the sections (part 0) or the symbols (part 1). Two threads can do the two parts at the
 * same time: no part uses the indices of the other, and each adds names to its own string table. No
 * part allocates memory, because the tables have capacity for all strings. */
static void number_part(void *context, unsigned worker, size_t part)
{
    static void (*const PARTS[])(link_context * link) = {order_sections, number_symbols};
    (void)worker;
    PARTS[part](context);
}

/* Returns the number of threads. With Mercury code there is only one, because adding the names of
 * Mercury sections allocates memory. */
static unsigned numbering_workers(const link_context *link)
{
    enum { SECTIONS_OF_A_WORKER = LARGE_FROM(4096, 8) };
    return link_has_mercury(link)
               ? 1
               : link_workers(link, link->output.sections_count / SECTIONS_OF_A_WORKER);
}

void pass_symtab(link_context *link)
{
    string_tables_reserve(link);
    count_ranks(link);
    uint32_t capacities[] = {link->output.strtab_capacity, link->output.shstrtab_capacity};
    parallel_for(numbering_workers(link), 2, number_part, link);
    assert(link_has_mercury(link) || (capacities[0] == link->output.strtab_capacity &&
                                      capacities[1] == link->output.shstrtab_capacity));
    (void)capacities; /* without assertions */
    number_last_symbols(link);
    if (release_names_only_written(link))
        string_tables_name_only_written(link);
    else
        string_tables_add_native_names(link);
    string_tables_pad_for_index_tables(link);
    string_tables_settle(link);
    trace_unified_symbols(link);
}
