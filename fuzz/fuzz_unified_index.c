/* Opens any bytes as an index file of unified tables. A valid file of version 1 contains all
 * entries that it counts, and writing them again yields the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/unified_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writing the entries must yield a file of the same size and, if the unused word is 0, the same
 * bytes. The version is 1. */
static void check_written(const struct unified_index *index, const uint8_t *data, size_t size)
{
    enum { UNREAD_WORD_AT = 12 };
    uint8_t *again = malloc(size ? size : 1);
    if (!again)
        abort();
    unified_index_write_header(index, again);
    uint8_t *out = again + UNIFIED_INDEX_HEADER_SIZE;
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++)
        for (uint64_t i = 0; i < index->count[kind]; i++) {
            struct unified_index_entry entry =
                unified_index_entry(index, (enum unified_table_kind)kind, i);
            if (unified_id_compare(entry.id, entry.id))
                abort();
            unified_index_write_entry(&entry, out);
            out += UNIFIED_INDEX_ENTRY_SIZE;
        }
    if (out != again + size || unified_index_size(index) != size)
        abort();
    if (!load_u32(data + UNREAD_WORD_AT) && memcmp(again, data, size) != 0)
        abort();
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of exactly this size, so that AddressSanitizer detects reads past its end. */
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        abort();
    if (size)
        memcpy(bytes, data, size);
    struct unified_index index;
    if (unified_index_open(&index, (struct bytes){bytes, size}) == UNIFIED_INDEX_SOUND &&
        index.version == 1)
        check_written(&index, bytes, size);
    free(bytes);
    return 0;
}
