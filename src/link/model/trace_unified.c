/* Writes trace lines about unified tables; see unified.h. Passes call these functions, which change
 * nothing in the link. */
#include "base/trace.h"
#include "format/unified_index.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"

static void trace_id(link_context *link, enum trace_name line, struct unified_id id)
{
    TRACE(&link->trace, line, (unsigned long long)id.low, (unsigned long long)id.high);
}

static void trace_number(link_context *link, enum trace_name line, uint64_t number)
{
    TRACE(&link->trace, line, (unsigned long long)number);
}

void trace_unified_index(link_context *link, const struct unified_index *index)
{
    static const enum trace_name LINES[] = {TRACE_UNIFIED_INDEX_FUNCTION,
                                            TRACE_UNIFIED_INDEX_VARIABLE};
    if (!trace_has(&link->trace, TRACE_CATEGORY_UNIFIED))
        return;
    TRACE(&link->trace, TRACE_UNIFIED_INDEX, (unsigned long long)index->count[UNIFIED_FUNCTIONS],
          (unsigned long long)index->count[UNIFIED_DATA]);
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++)
        for (uint64_t i = 0; i < index->count[kind]; i++) {
            struct unified_index_entry entry =
                unified_index_entry(index, (enum unified_table_kind)kind, i);
            TRACE(&link->trace, LINES[kind], (unsigned long long)entry.id.low,
                  (unsigned long long)entry.id.high, (unsigned long long)entry.offset);
        }
}

static void trace_stub(link_context *link, const struct unified_entry *entry)
{
    const struct symbol *stub = entry->contents ? entry->object->symbols[entry->contents] : NULL;
    const struct function *function = entry->symbol ? entry->symbol->function : NULL;
    TRACE(&link->trace, TRACE_UNIFIED_ENTRY_SYMBOL, entry->index);
    TRACE(&link->trace, TRACE_UNIFIED_ENTRY_FUNCTION, function ? function->creation : 0);
    if (!stub)
        return;
    TRACE(&link->trace, TRACE_UNIFIED_ENTRY_STUB, symbol_name(stub));
    trace_number(link, TRACE_UNIFIED_ENTRY_OFFSET, unified_merged_offset(entry));
}

void trace_unified_entry(link_context *link, const struct unified_entry *entry,
                         enum unified_table_kind kind)
{
    if (kind == UNIFIED_FUNCTIONS) {
        trace_stub(link, entry);
        TRACE(&link->trace, TRACE_UNIFIED_FUNCTION_ADDED);
    } else {
        TRACE(&link->trace, TRACE_UNIFIED_VARIABLE_ADDED);
    }
    trace_id(link, TRACE_UNIFIED_ADDED_ID, entry->id);
    trace_number(link, TRACE_UNIFIED_ADDED_OFFSET, entry->input_offset);
    TRACE(&link->trace, TRACE_UNIFIED_ADDED_SYMBOL, entry->index);
}

void trace_unified_offset(link_context *link, const struct unified_entry *entry)
{
    trace_id(link, TRACE_UNIFIED_PLACE_ID, entry->id);
    TRACE(&link->trace, TRACE_UNIFIED_PLACE);
    TRACE(&link->trace, TRACE_UNIFIED_PLACE_SYMBOL, entry->index);
    trace_number(link, TRACE_UNIFIED_PLACE_OLD, unified_merged_offset(entry));
    trace_number(link, TRACE_UNIFIED_PLACE_NEW, entry->offset);
}

/* The symbol indices must be assigned. These lines are not written together with the records,
 * because several threads write the records. */
void trace_unified_symbols(link_context *link)
{
    if (!trace_has(&link->trace, TRACE_CATEGORY_UNIFIED))
        return;
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++)
        for (size_t i = 0; i < link->unified[kind].entries_count; i++) {
            const struct unified_entry *entry = &link->unified[kind].entries[i];
            trace_id(link, TRACE_UNIFIED_SYMBOL, entry->id);
            TRACE(&link->trace, TRACE_UNIFIED_SYMBOL_OLD, entry->index);
            TRACE(&link->trace, TRACE_UNIFIED_SYMBOL_NEW, unified_symbol_index(entry));
        }
}
