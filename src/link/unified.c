/* Places of unified functions and variables.
 *
 * Requires: merged tables. Makes: the offset of each entry, as the index file says; mutates where
 * the inputs' parts of the tables go, and the values of their symbols. Refuses an index file that
 * does not fit the program.
 *
 * The messages that nvlink 13.0.88 has come in its order; it does not notice entries that the index
 * file leaves out, that overlap or that lie outside, and writes what its memory held, or crashes.
 */
#include "link/unified.h"

#include <stdlib.h>
#include <string.h>

#include "link/link.h"

struct placing {
    link_context *link;
    const struct unified_index *index;
    struct unified_table *table;
    enum unified_table_kind kind;
    struct unified_entry **by_id; /* those of one id in reading order */
};

static const char *const TABLE_NAMES[] = {"unified function table", "unified data table"};

/* False, for the callers to hand on. */
static bool refuse(const struct placing *placing, enum diagnostic_name message)
{
    diagnostic_report(&placing->link->diagnostics, message, NULL, NULL);
    return false;
}

static bool report_entry(const struct placing *placing, enum diagnostic_name message,
                         const struct unified_entry *entry)
{
    const char *name = entry->symbol ? symbol_name(entry->symbol) : "";
    diagnostic_report(&placing->link->diagnostics, message, entry->object->name, name, name,
                      entry->object->name);
    return false;
}

static void note_id(const struct placing *placing, struct unified_id id)
{
    diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_ID, NULL, NULL,
                      (unsigned long long)id.low, (unsigned long long)id.high,
                      TABLE_NAMES[placing->kind]);
}

/* --------------------------------------------------------------------------------------------- */
/* Identifiers                                                                                   */

static int by_id(const void *a, const void *b)
{
    const struct unified_entry *first = *(struct unified_entry *const *)a;
    const struct unified_entry *second = *(struct unified_entry *const *)b;
    int order = unified_id_compare(first->id, second->id);
    if (order)
        return order;
    return first->number < second->number ? -1 : 1;
}

/* nvlink looks identifiers up by this number. */
static uint64_t key_of(struct unified_id id)
{
    return id.low ^ id.high;
}

static int by_key(const void *a, const void *b)
{
    const struct unified_entry *first = *(struct unified_entry *const *)a;
    const struct unified_entry *second = *(struct unified_entry *const *)b;
    uint64_t key = key_of(first->id), other = key_of(second->id);
    if (key != other)
        return key < other ? -1 : 1;
    return first->number < second->number ? -1 : 1;
}

static struct unified_entry **sorted(const struct placing *placing,
                                     int order(const void *, const void *))
{
    size_t count = placing->table->entries_count;
    struct unified_entry **entries =
        ARENA_ARRAY(&placing->link->arena, struct unified_entry *, count);
    for (size_t i = 0; i < count; i++)
        entries[i] = &placing->table->entries[i];
    if (count)
        qsort(entries, count, sizeof *entries, order);
    return entries;
}

static void trace_key(link_context *link, const struct unified_entry *entry, uint64_t key)
{
    TRACE(TRACE_UNIFIED_KEY, (unsigned long long)entry->id.low, (unsigned long long)entry->id.high,
          (unsigned long long)key);
    if (!entry->is_first_of_key)
        TRACE(TRACE_UNIFIED_KEY_TAKEN, (unsigned long long)key);
}

static void find_first_of_keys(const struct placing *placing)
{
    struct unified_entry **entries = sorted(placing, by_key);
    for (size_t i = 0; i < placing->table->entries_count; i++) {
        uint64_t key = key_of(entries[i]->id);
        entries[i]->is_first_of_key = !i || key_of(entries[i - 1]->id) != key;
        trace_key(placing->link, entries[i], key);
    }
}

static bool has_duplicates(const struct placing *placing)
{
    for (size_t i = 0; i + 1 < placing->table->entries_count; i++)
        if (!unified_id_compare(placing->by_id[i]->id, placing->by_id[i + 1]->id))
            return true;
    return false;
}

static bool report_duplicate(const struct placing *placing, size_t first)
{
    const struct unified_entry *a = placing->by_id[first], *b = placing->by_id[first + 1];
    refuse(placing, DIAGNOSTIC_UNIFIED_DUPLICATE);
    diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_DUPLICATE_PLACES, NULL, NULL,
                      a->symbol ? symbol_name(a->symbol) : "", a->object->name,
                      b->symbol ? symbol_name(b->symbol) : "", b->object->name);
    note_id(placing, a->id);
    return false;
}

/* nvlink compares an entry with those before it of the same key, all but the first: the second of
 * two equal identifiers escapes it when they are the first of their key. Such a one is told of
 * last. */
static bool check_duplicates(const struct placing *placing, bool all)
{
    size_t count = placing->table->entries_count;
    if (!has_duplicates(placing))
        return true;
    find_first_of_keys(placing);
    for (size_t i = 0; i + 1 < count; i++) {
        struct unified_entry *const *entry = &placing->by_id[i];
        if (unified_id_compare(entry[0]->id, entry[1]->id) != 0)
            continue;
        bool thrice = i + 2 < count && !unified_id_compare(entry[0]->id, entry[2]->id);
        if (all || thrice || !entry[0]->is_first_of_key)
            return report_duplicate(placing, i);
    }
    return true;
}

/* The last of equal ones, which nvlink finds before the first. */
static struct unified_entry *find_entry(const struct placing *placing, struct unified_id id)
{
    size_t first = 0, end = placing->table->entries_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (unified_id_compare(placing->by_id[middle]->id, id) <= 0)
            first = middle + 1;
        else
            end = middle;
    }
    bool is_found = first && !unified_id_compare(placing->by_id[first - 1]->id, id);
    return is_found ? placing->by_id[first - 1] : NULL;
}

static bool report_unknown(const struct placing *placing, struct unified_id id)
{
    bool matches = false;
    for (size_t i = 0; i < placing->table->entries_count; i++)
        matches |= key_of(placing->table->entries[i].id) == key_of(id);
    refuse(placing, matches ? DIAGNOSTIC_UNIFIED_OTHER_ID : DIAGNOSTIC_UNIFIED_UNKNOWN_ID);
    note_id(placing, id);
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* Places                                                                                        */

/* A stub has a section to itself. */
static bool is_in_table(const struct placing *placing, const struct unified_entry *entry)
{
    if (!entry->symbol || !entry->contents ||
        entry->input_section >= entry->object->elf.section_count)
        return false;
    const struct elf_section *input = &entry->object->elf.sections[entry->input_section];
    const struct contribution *home = &entry->object->contributions[entry->input_section];
    if (placing->kind == UNIFIED_FUNCTIONS &&
        (input->size != UNIFIED_SLOT_SIZE || entry->input_offset))
        return false;
    return home->section == placing->table->contents &&
           add_sizes(entry->input_offset, entry->size) <= input->size;
}

static bool place_entry(const struct placing *placing, const struct unified_index_entry *said)
{
    link_context *link = placing->link;
    TRACE(TRACE_UNIFIED_LOOKUP, (unsigned long long)said->id.low,
          (unsigned long long)said->id.high);
    struct unified_entry *entry = find_entry(placing, said->id);
    if (!entry)
        return report_unknown(placing, said->id);
    if (entry->is_placed) {
        refuse(placing, DIAGNOSTIC_UNIFIED_TWICE);
        note_id(placing, said->id);
        return false;
    }
    if (!is_in_table(placing, entry))
        return report_entry(placing,
                            placing->kind == UNIFIED_FUNCTIONS ? DIAGNOSTIC_UNIFIED_NO_STUB
                                                               : DIAGNOSTIC_UNIFIED_NO_VARIABLE,
                            entry);
    entry->offset = said->offset;
    entry->is_placed = true;
    if (link->trace.categories)
        trace_unified_place(link, entry);
    return true;
}

static bool place_all(const struct placing *placing)
{
    link_context *link = placing->link;
    TRACE(placing->kind == UNIFIED_FUNCTIONS ? TRACE_UNIFIED_PLACES : TRACE_UNIFIED_DATA_PLACES);
    for (uint64_t i = 0; i < placing->index->count[placing->kind]; i++) {
        struct unified_index_entry said = unified_index_entry(placing->index, placing->kind, i);
        if (!place_entry(placing, &said))
            return false;
    }
    return true;
}

static bool all_are_placed(const struct placing *placing)
{
    for (size_t i = 0; i < placing->table->entries_count; i++) {
        const struct unified_entry *entry = &placing->table->entries[i];
        if (entry->is_placed)
            continue;
        report_entry(placing, DIAGNOSTIC_UNIFIED_LEFT_OUT, entry);
        note_id(placing, entry->id);
        return false;
    }
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct unified_entry *first = *(struct unified_entry *const *)a;
    const struct unified_entry *second = *(struct unified_entry *const *)b;
    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    if (first->size != second->size)
        return first->size < second->size ? -1 : 1;
    return first->number < second->number ? -1 : 1;
}

static bool none_overlap(const struct placing *placing)
{
    size_t count = placing->table->entries_count;
    struct unified_entry **entries = sorted(placing, by_offset);
    for (size_t i = 0; i + 1 < count; i++) {
        const struct unified_entry *a = entries[i], *b = entries[i + 1];
        if (add_sizes(a->offset, a->size) <= b->offset)
            continue;
        diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_OVERLAP, a->object->name,
                          symbol_name(a->symbol), symbol_name(a->symbol), symbol_name(b->symbol));
        return false;
    }
    return true;
}

static uint64_t end_of(const struct unified_table *table)
{
    uint64_t end = 0;
    for (size_t i = 0; i < table->entries_count; i++) {
        uint64_t own = add_sizes(table->entries[i].offset, table->entries[i].size);
        end = own > end ? own : end;
    }
    return end;
}

static bool none_is_outside(const struct placing *placing, uint64_t size)
{
    for (size_t i = 0; i < placing->table->entries_count; i++) {
        const struct unified_entry *entry = &placing->table->entries[i];
        if (add_sizes(entry->offset, entry->size) > size)
            return report_entry(placing, DIAGNOSTIC_UNIFIED_OUTSIDE, entry);
    }
    return true;
}

/* What the index file says of one table, as far as both tables have it in common. */
static bool take_places(struct placing *placing)
{
    placing->by_id = sorted(placing, by_id);
    return check_duplicates(placing, false) && place_all(placing);
}

static bool check_places(const struct placing *placing)
{
    return check_duplicates(placing, true) && all_are_placed(placing) && none_overlap(placing);
}

/* --------------------------------------------------------------------------------------------- */
/* Functions                                                                                     */

/* Two entries of one stub would leave a slot empty. */
static bool no_stub_is_shared(const struct placing *placing)
{
    const struct unified_table *table = placing->table;
    for (size_t i = 0; i < table->entries_count; i++) {
        const struct unified_entry *entry = &table->entries[i];
        if (entry->object->contributions[entry->input_section].offset != entry->offset)
            return report_entry(placing, DIAGNOSTIC_UNIFIED_NO_STUB, entry);
    }
    return true;
}

static void move_stubs(const struct placing *placing)
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
        chunk->offset = chunk->object->contributions[chunk->input_section].offset;
    }
    if (output_twin(table->contents))
        unified_write_slots(placing->link, table);
}

/* One slot for each stub and one entry for each slot. */
static bool check_slots(const struct placing *placing)
{
    link_context *link = placing->link;
    const struct unified_table *table = placing->table;
    uint64_t size = table->contents->size, window = placing->index->window[UNIFIED_FUNCTIONS];
    if (size / UNIFIED_SLOT_SIZE != table->entries_count)
        return refuse(placing, DIAGNOSTIC_UNIFIED_SLOTS);
    TRACE(TRACE_UNIFIED_WINDOW, (unsigned long long)window);
    TRACE(TRACE_UNIFIED_SIZE, (unsigned long long)size);
    if (size != window) {
        refuse(placing, DIAGNOSTIC_UNIFIED_FUNCTION_WINDOW);
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_WINDOW_SIZES, NULL, NULL,
                          (unsigned long long)window, (unsigned long long)size);
        return false;
    }
    return true;
}

static void place_functions(link_context *link, const struct unified_index *index)
{
    struct placing placing = {.link = link,
                              .index = index,
                              .table = &link->unified[UNIFIED_FUNCTIONS],
                              .kind = UNIFIED_FUNCTIONS};
    if (placing.table->contents && check_slots(&placing) && take_places(&placing) &&
        check_places(&placing) && none_is_outside(&placing, placing.table->contents->size))
        move_stubs(&placing);
}

/* --------------------------------------------------------------------------------------------- */
/* Variables                                                                                     */

/* What the table can grow by, so that a few bytes do not ask for any amount of memory: nothing is
 * aligned to more. */
enum { LARGEST_GAP = 256 };

static bool check_data_size(const struct placing *placing, uint64_t size)
{
    const struct unified_table *table = placing->table;
    uint64_t window = placing->index->window[UNIFIED_DATA];
    if (size != window) {
        refuse(placing, DIAGNOSTIC_UNIFIED_DATA_WINDOW);
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

static void set_pieces(const struct placing *placing, size_t first, size_t end)
{
    link_context *link = placing->link;
    const struct unified_entry *entries = placing->table->entries;
    struct moved_variable *pieces = ARENA_ARRAY(ARENA, struct moved_variable, end - first);
    for (size_t i = first; i < end; i++)
        pieces[i - first] = (struct moved_variable){.input_offset = entries[i].input_offset,
                                                    .size = entries[i].size,
                                                    .offset = entries[i].offset};
    const struct unified_entry *entry = &entries[first];
    struct input_object *object = entry->object;
    contribution_move(ARENA, object, entry->input_section, pieces, end - first);
    uint32_t other = object->other_view ? object->other_view[entry->input_section] : 0;
    if (other)
        contribution_move(ARENA, object, other, pieces, end - first);
}

/* Of the object's section in the other view, too: its relocations move alike. */
static void move_variables(const struct placing *placing, uint64_t size)
{
    link_context *link = placing->link;
    struct unified_table *table = placing->table;
    uint8_t *bytes = ARENA_ARRAY(ARENA, uint8_t, size);
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
    if (output_twin(table->contents))
        output_replace(link, output_twin(table->contents), (struct bytes){bytes, size});
}

static bool report_uncovered(const struct placing *placing, const struct input_object *object,
                             uint64_t offset)
{
    diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_NO_ENTRY, object->name, NULL,
                      object->name, (unsigned long long)offset);
    return false;
}

static bool is_in_data(const struct placing *placing, const struct input_object *object,
                       uint32_t section)
{
    return section < object->elf.section_count && section &&
           object->contributions[section].section == placing->table->contents;
}

static bool symbols_can_follow(const struct placing *placing, const struct input_object *object)
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

/* Entries for the table need a variable there; and none can name the section, which is in pieces.
 * Those of compilers name the variables. */
static bool relocations_can_follow(const struct placing *placing, const struct input_object *object,
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

/* All that an object has of the table is covered by entries, and what refers to it by symbols. */
static bool object_can_follow(const struct placing *placing, const struct input_object *object)
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

static void place_variables(link_context *link, const struct unified_index *index)
{
    struct placing placing = {
        .link = link, .index = index, .table = &link->unified[UNIFIED_DATA], .kind = UNIFIED_DATA};
    if (!placing.table->contents)
        return;
    if (!placing.table->list) {
        refuse(&placing, DIAGNOSTIC_UNIFIED_NO_DATA_ENTRIES);
        return;
    }
    if (!take_places(&placing))
        return;
    uint64_t size = end_of(placing.table);
    if (!check_data_size(&placing, size) || !check_places(&placing))
        return;
    move_variables(&placing, size);
    for (size_t i = 0; i < link->objects_count; i++)
        if (!object_can_follow(&placing, link->objects[i]))
            return;
}

/* --------------------------------------------------------------------------------------------- */

void unified(link_context *link)
{
    const struct unified_table *tables = link->unified;
    if (!tables[UNIFIED_FUNCTIONS].contents && !tables[UNIFIED_DATA].contents)
        return;
    if (!link->options.unified_index) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_NO_INDEX, NULL, NULL);
        return;
    }
    place_functions(link, &link->unified_index);
    if (!link->diagnostics.fatals)
        place_variables(link, &link->unified_index);
}

/* Before any input is opened, as nvlink does. */
void read_unified_index(link_context *link)
{
    struct bytes file = {link->options.unified_index, link->options.unified_index_size};
    if (!file.data)
        return;
    switch (unified_index_open(&link->unified_index, file)) {
    case UNIFIED_INDEX_SOUND:
        trace_unified_index(link);
        break;
    case UNIFIED_INDEX_MAGIC:
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_INDEX_MAGIC, NULL, NULL);
        break;
    case UNIFIED_INDEX_SIZE:
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_INDEX_SIZE, NULL, NULL);
        break;
    }
}
