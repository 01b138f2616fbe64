/* Assigns the entries of a unified table their offsets from the index file; see unified_offsets.h.
 *
 * Errors that nvlink 13.0.88 also reports are reported in the same order. nvlink does not report
 * entries that are missing from the index file, that overlap, or that are outside the table.
 * Instead it writes uninitialised memory, or crashes. */
#include "link/layout/unified_offsets.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/elf_view.h"
#include "format/unified_index.h"
#include "link/model/input_object.h"
#include "link/model/symbols.h"

static const char *const TABLE_NAMES[] = {"unified function table", "unified data table"};

bool unified_refuse(const struct unified_placing *placing, enum diagnostic_name message)
{
    diagnostic_report(&placing->link->diagnostics, message, NULL, NULL);
    return false;
}

bool unified_refuse_entry(const struct unified_placing *placing, enum diagnostic_name message,
                          const struct unified_entry *entry)
{
    const char *name = entry->symbol ? symbol_name(entry->symbol) : "";
    diagnostic_report(&placing->link->diagnostics, message, entry->object->name, name, name,
                      entry->object->name);
    return false;
}

static void note_id(const struct unified_placing *placing, struct unified_id id)
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

/* Returns the hash key with which nvlink looks up an identifier. */
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

static struct unified_entry **sorted(const struct unified_placing *placing,
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
    TRACE(&link->trace, TRACE_UNIFIED_KEY, (unsigned long long)entry->id.low,
          (unsigned long long)entry->id.high, (unsigned long long)key);
    if (!entry->is_first_of_key)
        TRACE(&link->trace, TRACE_UNIFIED_KEY_TAKEN, (unsigned long long)key);
}

static void find_first_of_keys(const struct unified_placing *placing)
{
    struct unified_entry **entries = sorted(placing, by_key);
    for (size_t i = 0; i < placing->table->entries_count; i++) {
        uint64_t key = key_of(entries[i]->id);
        entries[i]->is_first_of_key = !i || key_of(entries[i - 1]->id) != key;
        trace_key(placing->link, entries[i], key);
    }
}

static bool has_duplicates(const struct unified_placing *placing)
{
    for (size_t i = 0; i + 1 < placing->table->entries_count; i++)
        if (!unified_id_compare(placing->by_id[i]->id, placing->by_id[i + 1]->id))
            return true;
    return false;
}

static bool report_duplicate(const struct unified_placing *placing, size_t first)
{
    const struct unified_entry *a = placing->by_id[first], *b = placing->by_id[first + 1];
    unified_refuse(placing, DIAGNOSTIC_UNIFIED_DUPLICATE);
    diagnostic_report(&placing->link->diagnostics, DIAGNOSTIC_UNIFIED_DUPLICATE_PLACES, NULL, NULL,
                      a->symbol ? symbol_name(a->symbol) : "", a->object->name,
                      b->symbol ? symbol_name(b->symbol) : "", b->object->name);
    note_id(placing, a->id);
    return false;
}

/* Reports the first two entries with equal identifiers, and returns false, if there are such
 * entries.
 *
 * nvlink compares an entry with all earlier entries of the same key (key_of), except the first of
 * them. So it does not find a duplicate of the first entry of a key. This function reports such a
 * duplicate only if `all` is set, for the last check of the table in unified_check_offsets. */
static bool check_duplicates(const struct unified_placing *placing, bool all)
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

/* Returns the entry with an identifier; NULL if there is none. If several entries have the
 * identifier, returns the last one in reading order, as nvlink does. */
static struct unified_entry *find_entry(const struct unified_placing *placing, struct unified_id id)
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

static bool report_unknown(const struct unified_placing *placing, struct unified_id id)
{
    bool matches = false;
    for (size_t i = 0; i < placing->table->entries_count; i++)
        matches |= key_of(placing->table->entries[i].id) == key_of(id);
    unified_refuse(placing, matches ? DIAGNOSTIC_UNIFIED_OTHER_ID : DIAGNOSTIC_UNIFIED_UNKNOWN_ID);
    note_id(placing, id);
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* Offsets                                                                                       */

/* True if the variable or stub of the entry is in the table's output section. A stub must also be
 * alone in its input section. */
static bool is_in_table(const struct unified_placing *placing, const struct unified_entry *entry)
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

/* Assigns an offset from the index file to the entry with this identifier. Returns false, after
 * reporting an error, if the table has no such entry, if the entry already has an offset, or if the
 * entry's variable or stub is not in the table. */
static bool place_entry(const struct unified_placing *placing,
                        const struct unified_index_entry *wanted)
{
    link_context *link = placing->link;
    TRACE(&link->trace, TRACE_UNIFIED_LOOKUP, (unsigned long long)wanted->id.low,
          (unsigned long long)wanted->id.high);
    struct unified_entry *entry = find_entry(placing, wanted->id);
    if (!entry)
        return report_unknown(placing, wanted->id);
    if (entry->is_placed) {
        unified_refuse(placing, DIAGNOSTIC_UNIFIED_TWICE);
        note_id(placing, wanted->id);
        return false;
    }
    if (!is_in_table(placing, entry))
        return unified_refuse_entry(placing,
                                    placing->kind == UNIFIED_FUNCTIONS
                                        ? DIAGNOSTIC_UNIFIED_NO_STUB
                                        : DIAGNOSTIC_UNIFIED_NO_VARIABLE,
                                    entry);
    entry->offset = wanted->offset;
    entry->is_placed = true;
    if (link->trace.categories)
        trace_unified_offset(link, entry);
    return true;
}

static bool place_entries(const struct unified_placing *placing)
{
    link_context *link = placing->link;
    TRACE(&link->trace,
          placing->kind == UNIFIED_FUNCTIONS ? TRACE_UNIFIED_PLACES : TRACE_UNIFIED_DATA_PLACES);
    for (uint64_t i = 0; i < placing->index->count[placing->kind]; i++) {
        struct unified_index_entry wanted = unified_index_entry(placing->index, placing->kind, i);
        if (!place_entry(placing, &wanted))
            return false;
    }
    return true;
}

static bool all_are_placed(const struct unified_placing *placing)
{
    for (size_t i = 0; i < placing->table->entries_count; i++) {
        const struct unified_entry *entry = &placing->table->entries[i];
        if (entry->is_placed)
            continue;
        unified_refuse_entry(placing, DIAGNOSTIC_UNIFIED_LEFT_OUT, entry);
        note_id(placing, entry->id);
        return false;
    }
    return true;
}

static int entries_by_offset(const void *a, const void *b)
{
    const struct unified_entry *first = *(struct unified_entry *const *)a;
    const struct unified_entry *second = *(struct unified_entry *const *)b;
    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    if (first->size != second->size)
        return first->size < second->size ? -1 : 1;
    return first->number < second->number ? -1 : 1;
}

static bool none_overlap(const struct unified_placing *placing)
{
    size_t count = placing->table->entries_count;
    struct unified_entry **entries = sorted(placing, entries_by_offset);
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

uint64_t unified_offsets_end(const struct unified_table *table)
{
    uint64_t end = 0;
    for (size_t i = 0; i < table->entries_count; i++) {
        uint64_t own = add_sizes(table->entries[i].offset, table->entries[i].size);
        end = own > end ? own : end;
    }
    return end;
}

bool unified_offsets_are_within(const struct unified_placing *placing, uint64_t size)
{
    for (size_t i = 0; i < placing->table->entries_count; i++) {
        const struct unified_entry *entry = &placing->table->entries[i];
        if (add_sizes(entry->offset, entry->size) > size)
            return unified_refuse_entry(placing, DIAGNOSTIC_UNIFIED_OUTSIDE, entry);
    }
    return true;
}

bool unified_take_offsets(struct unified_placing *placing)
{
    placing->by_id = sorted(placing, by_id);
    return check_duplicates(placing, false) && place_entries(placing);
}

bool unified_check_offsets(const struct unified_placing *placing)
{
    return check_duplicates(placing, true) && all_are_placed(placing) && none_overlap(placing);
}
