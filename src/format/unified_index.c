/* Reads and writes index files of unified tables; see unified_index.h.
 *
 * The header contains, in this order:
 *   - 8 bytes of magic, a 32-bit version, and an unused word
 *   - for the function table: the window and the number of entries, with 64 bits each
 *   - for the data table: the window and the number of entries, with 64 bits each
 *
 * Links with modified files showed that nvlink 13.0.88 refuses a file whose size does not agree
 * with its version and numbers of entries, and that it treats every version above 1 as version 2.
 */
#include "format/unified_index.h"

#include <string.h>

static const uint8_t MAGIC[8] = {0x7f, 'U', 'F', 'T', 'I', 'N', 'D', 'X'};

enum { VERSION_AT = 8, TABLES_AT = 16, TABLE_SIZE = 16, VERSION_WITH_EXTRA = 2 };

bool unified_index_identify(struct bytes file)
{
    return file.size >= sizeof MAGIC && !memcmp(file.data, MAGIC, sizeof MAGIC);
}

/* Takes the entries of one table from the rest of the file. Returns false if the file is too short.
 * The comparison divides, because a multiplication could overflow: the number of entries is an
 * unchecked number from the file. */
static bool take_entries(struct unified_index *index, struct bytes *rest,
                         enum unified_table_kind kind)
{
    if (index->count[kind] > rest->size / UNIFIED_INDEX_ENTRY_SIZE)
        return false;
    uint64_t size = index->count[kind] * UNIFIED_INDEX_ENTRY_SIZE;
    index->entries[kind] = rest->data;
    *rest = (struct bytes){rest->data + size, rest->size - size};
    return true;
}

enum unified_index_problem unified_index_open(struct unified_index *index, struct bytes file)
{
    *index = (struct unified_index){0};
    if (!unified_index_identify(file))
        return UNIFIED_INDEX_MAGIC;
    if (file.size < UNIFIED_INDEX_HEADER_SIZE)
        return UNIFIED_INDEX_SIZE;
    index->version = load_u32(file.data + VERSION_AT);
    struct bytes rest = {file.data + UNIFIED_INDEX_HEADER_SIZE,
                         file.size - UNIFIED_INDEX_HEADER_SIZE};
    for (size_t kind = 0; kind < UNIFIED_TABLE_KINDS; kind++) {
        const uint8_t *table = file.data + TABLES_AT + kind * TABLE_SIZE;
        index->window[kind] = load_u64(table);
        index->count[kind] = load_u64(table + 8);
        if (!take_entries(index, &rest, (enum unified_table_kind)kind))
            return UNIFIED_INDEX_SIZE;
    }
    bool has_extra = index->version >= VERSION_WITH_EXTRA;
    uint64_t extra = has_extra ? index->count[UNIFIED_FUNCTIONS] * UNIFIED_INDEX_EXTRA_SIZE : 0;
    index->extra = rest;
    return rest.size == extra ? UNIFIED_INDEX_SOUND : UNIFIED_INDEX_SIZE;
}

struct unified_index_entry unified_index_entry(const struct unified_index *index,
                                               enum unified_table_kind kind, uint64_t i)
{
    const uint8_t *entry = index->entries[kind] + i * UNIFIED_INDEX_ENTRY_SIZE;
    return (struct unified_index_entry){
        .id = {load_u64(entry), load_u64(entry + 8)},
        .offset = load_u64(entry + 16),
    };
}

uint64_t unified_index_size(const struct unified_index *index)
{
    return UNIFIED_INDEX_HEADER_SIZE +
           (index->count[UNIFIED_FUNCTIONS] + index->count[UNIFIED_DATA]) *
               UNIFIED_INDEX_ENTRY_SIZE;
}

void unified_index_write_header(const struct unified_index *index, uint8_t *out)
{
    memset(out, 0, UNIFIED_INDEX_HEADER_SIZE);
    memcpy(out, MAGIC, sizeof MAGIC);
    store_u32(out + VERSION_AT, 1);
    for (size_t kind = 0; kind < UNIFIED_TABLE_KINDS; kind++) {
        uint8_t *table = out + TABLES_AT + kind * TABLE_SIZE;
        store_u64(table, index->window[kind]);
        store_u64(table + 8, index->count[kind]);
    }
}

void unified_index_write_entry(const struct unified_index_entry *entry, uint8_t *out)
{
    store_u64(out, entry->id.low);
    store_u64(out + 8, entry->id.high);
    store_u64(out + 16, entry->offset);
}

int unified_id_compare(struct unified_id a, struct unified_id b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}
