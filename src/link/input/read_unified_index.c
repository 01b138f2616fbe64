/* Reads the index file of unified tables.
 *
 * Requires: the options only.
 * Makes: INDEX_READ, input->unified_index.
 * Frozen after: nothing more.
 *
 * This pass is the first, because nvlink refuses a bad index file before it opens an input. */
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/unified_index.h"
#include "link/input/input_state.h"
#include "link/model/link_context.h"
#include "link/model/unified.h"

void pass_read_unified_index(link_context *link)
{
    struct bytes file = {link->options.unified_index, link->options.unified_index_size};
    if (!file.data)
        return;
    switch (unified_index_open(&link->input->unified_index, file)) {
    case UNIFIED_INDEX_SOUND:
        trace_unified_index(link, &link->input->unified_index);
        break;
    case UNIFIED_INDEX_MAGIC:
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_INDEX_MAGIC, NULL, NULL);
        break;
    case UNIFIED_INDEX_SIZE:
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNIFIED_INDEX_SIZE, NULL, NULL);
        break;
    }
}
