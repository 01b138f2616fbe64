/* Assigns unified functions and variables the offsets that the index file gives them.
 *
 * Requires: MERGED (the tables), SHARED_PLACED (errors of pass_layout_shared must be reported
 * before those of this pass, which end the link).
 * Makes: UNIFIED_PLACED, the offset of each entry of the tables; mutates the offsets of the inputs'
 * parts of the tables, and the values of their symbols; regenerates native debug sections that hold
 * addresses of slots.
 * Frozen after: UNIFIED.
 *
 * Refuses an index file that does not fit the program. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/unified_index.h"
#include "link/input/input_state.h"
#include "link/layout/unified_offsets.h"
#include "link/layout/unified_slots.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/unified.h"

/* --------------------------------------------------------------------------------------------- */
/* Functions                                                                                     */

/* Refuses entries that have the same stub. A stub has only one offset, so the slot of one of these
 * entries would be empty. */
static bool no_stub_is_shared(const struct unified_placing *placing)
{
    const struct unified_table *table = placing->table;
    for (size_t i = 0; i < table->entries_count; i++) {
        const struct unified_entry *entry = &table->entries[i];
        if (entry->object->contributions[entry->input_section].offset != entry->offset)
            return unified_refuse_entry(placing, DIAGNOSTIC_UNIFIED_NO_STUB, entry);
    }
    return true;
}

static void move_stubs(const struct unified_placing *placing)
{
    struct unified_table *table = placing->table;
    for (size_t i = 0; i < table->entries_count; i++) {
        const struct unified_entry *entry = &table->entries[i];
        entry->object->contributions[entry->input_section].offset = entry->offset;
        entry->object->symbols[entry->contents]->value = entry->offset;
    }
    if (!no_stub_is_shared(placing))
        return;
    for (size_t i = 0; i < table->contents->chunks_count; i++) {
        struct chunk *chunk = &table->contents->chunks[i];
        chunk->offset = chunk->object->contributions[chunk->input->index].offset;
    }
    if (output_counterpart(table->contents))
        unified_write_slots(placing->link, table);
}

/* Refuses a function table that does not have exactly one slot for each entry, or whose size
 * differs from the window in the index file. */
static bool check_slots(const struct unified_placing *placing)
{
    link_context *link = placing->link;
    const struct unified_table *table = placing->table;
    uint64_t size = table->contents->size, window = placing->index->window[UNIFIED_FUNCTIONS];
    if (size / UNIFIED_SLOT_SIZE != table->entries_count)
        return unified_refuse(placing, DIAGNOSTIC_UNIFIED_SLOTS);
    TRACE(&link->trace, TRACE_UNIFIED_WINDOW, (unsigned long long)window);
    TRACE(&link->trace, TRACE_UNIFIED_SIZE, (unsigned long long)size);
    if (size != window) {
        unified_refuse(placing, DIAGNOSTIC_UNIFIED_FUNCTION_WINDOW);
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_WINDOW_SIZES, NULL, NULL,
                          (unsigned long long)window, (unsigned long long)size);
        return false;
    }
    return true;
}

static void place_functions(link_context *link, const struct unified_index *index)
{
    struct unified_placing placing = {.link = link,
                                      .index = index,
                                      .table = &link->unified[UNIFIED_FUNCTIONS],
                                      .kind = UNIFIED_FUNCTIONS};
    if (placing.table->contents && check_slots(&placing) && unified_take_offsets(&placing) &&
        unified_check_offsets(&placing) &&
        unified_offsets_are_within(&placing, placing.table->contents->size))
        move_stubs(&placing);
}

/* --------------------------------------------------------------------------------------------- */
/* Variables                                                                                     */

/* The largest gap between two entries, in bytes. No alignment is larger, so no valid table has a
 * larger gap. Without this limit, a small index file could demand any amount of memory. */
enum { LARGEST_GAP = 256 };

static bool check_data_size(const struct unified_placing *placing, uint64_t size)
{
    const struct unified_table *table = placing->table;
    uint64_t window = placing->index->window[UNIFIED_DATA];
    if (size != window) {
        unified_refuse(placing, DIAGNOSTIC_UNIFIED_DATA_WINDOW);
        diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_WINDOW_SIZES, NULL, NULL,
                          (unsigned long long)window, (unsigned long long)size);
        return false;
    }
    if (size > add_sizes(table->contents->size, LARGEST_GAP * (uint64_t)table->entries_count)) {
        diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_GAPS, NULL, NULL,
                          (unsigned long long)size, (unsigned long long)table->contents->size);
        return false;
    }
    return true;
}

/* Records the new offsets of the entries from index `first` up to, but not including, `end`. These
 * entries are in the same input section. */
static void set_pieces(const struct unified_placing *placing, size_t first, size_t end)
{
    link_context *link = placing->link;
    const struct unified_entry *entries = placing->table->entries;
    struct moved_variable *pieces = ARENA_ARRAY(&link->arena, struct moved_variable, end - first);
    for (size_t i = first; i < end; i++)
        pieces[i - first] = (struct moved_variable){.input_offset = entries[i].input_offset,
                                                    .size = entries[i].size,
                                                    .offset = entries[i].offset};
    const struct unified_entry *entry = &entries[first];
    struct input_object *object = entry->object;
    contribution_move(&link->arena, object, entry->input_section, pieces, end - first);
    uint32_t other = object->other_view ? object->other_view[entry->input_section] : 0;
    if (other)
        contribution_move(&link->arena, object, other, pieces, end - first);
}

/* Moves the variables to their offsets in the index file, in the native and in the Mercury view, so
 * that relocations in both views are applied at the new offsets. */
static void move_variables(const struct unified_placing *placing, uint64_t size)
{
    link_context *link = placing->link;
    struct unified_table *table = placing->table;
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, size);
    size_t first = 0;
    for (size_t i = 0; i < table->entries_count; i++) {
        const struct unified_entry *entry = &table->entries[i];
        const uint8_t *input = entry->object->elf.sections[entry->input_section].data;
        if (entry->size)
            memcpy(bytes + entry->offset, input + entry->input_offset, entry->size);
        if (entry->object->copies[entry->contents] == COPY_USED)
            entry->symbol->value = entry->offset;
        if (i + 1 == table->entries_count || table->entries[i + 1].object != entry->object) {
            set_pieces(placing, first, i + 1);
            first = i + 1;
        }
    }
    output_replace(link, table->contents, (struct bytes){bytes, size});
    if (output_counterpart(table->contents))
        output_replace(link, output_counterpart(table->contents), (struct bytes){bytes, size});
}

static bool report_uncovered(const struct unified_placing *placing,
                             const struct input_object *object, uint64_t offset)
{
    diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_NO_ENTRY, object->name, NULL,
                      object->name, (unsigned long long)offset);
    return false;
}

static bool is_in_data(const struct unified_placing *placing, const struct input_object *object,
                       uint32_t section)
{
    return section < object->elf.section_count && section &&
           object->contributions[section].section == placing->table->contents;
}

static bool symbols_can_follow(const struct unified_placing *placing,
                               const struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        uint64_t offset = 0;
        if (symbol.type != STT_SECTION && is_in_data(placing, object, symbol.section) &&
            !contribution_offset(object, symbol.section, symbol.value, &offset))
            return report_uncovered(placing, object, symbol.value);
    }
    return true;
}

/* Returns false, after reporting an error, if a relocation cannot follow the variables, which move
 * separately. There are two such cases: the relocation patches bytes of the table that are in no
 * variable, or its symbol is the section symbol of the table. Compilers write neither. */
static bool relocations_can_follow(const struct unified_placing *placing,
                                   const struct input_object *object,
                                   const struct elf_section *list)
{
    for (uint32_t i = 0; i < list->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(list, i);
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, entry.symbol);
        uint64_t offset = 0;
        if (is_in_data(placing, object, list->info) &&
            !contribution_offset(object, list->info, entry.offset, &offset))
            return report_uncovered(placing, object, entry.offset);
        if (symbol.type == STT_SECTION && is_in_data(placing, object, symbol.section))
            return report_uncovered(placing, object, 0);
    }
    return true;
}

/* True if an object's part of the table can be split into entries, which move separately. Each
 * symbol and each relocation field in this part must be in an entry, and relocations must refer to
 * variables, not to the section. */
static bool object_can_follow(const struct unified_placing *placing,
                              const struct input_object *object)
{
    bool has_data = false;
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        if (!is_in_data(placing, object, i))
            continue;
        has_data = true;
        if (!contribution_is_moved(object, i) && object->elf.sections[i].size)
            return report_uncovered(placing, object, 0);
    }
    for (uint32_t i = 1; has_data && i < object->elf.section_count; i++)
        if (input_section_kind(&object->elf.sections[i]) == INPUT_RELOCATIONS &&
            !relocations_can_follow(placing, object, &object->elf.sections[i]))
            return false;
    return !has_data || symbols_can_follow(placing, object);
}

/* Assigns the variables of the data table their offsets, and checks that all references to them can
 * be changed to the new offsets. */
static void place_variables(link_context *link, const struct unified_index *index)
{
    struct unified_placing placing = {
        .link = link, .index = index, .table = &link->unified[UNIFIED_DATA], .kind = UNIFIED_DATA};
    if (!placing.table->contents)
        return;
    if (!placing.table->list) {
        unified_refuse(&placing, DIAGNOSTIC_UNIFIED_NO_DATA_ENTRIES);
        return;
    }
    if (!unified_take_offsets(&placing))
        return;
    uint64_t size = unified_offsets_end(placing.table);
    if (!check_data_size(&placing, size) || !unified_check_offsets(&placing))
        return;
    move_variables(&placing, size);
    for (size_t i = 0; i < link->objects_count; i++)
        if (!object_can_follow(&placing, link->objects[i]))
            return;
}

/* --------------------------------------------------------------------------------------------- */

void pass_unified(link_context *link)
{
    const struct unified_table *tables = link->unified;
    if (!tables[UNIFIED_FUNCTIONS].contents && !tables[UNIFIED_DATA].contents)
        return;
    if (!link->options.unified_index) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_NO_INDEX, NULL, NULL);
        return;
    }
    place_functions(link, &link->input->unified_index);
    if (!link->diagnostics.fatals)
        place_variables(link, &link->input->unified_index);
}
