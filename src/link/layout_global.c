/* Global memory: places the common symbols.
 *
 * Requires: merge. Makes: addresses of commons in .nv.global. Everything else in global memory has
 * its address from the merge, because whole input sections are appended.
 *
 * Commons without a definition follow all objects' zeroed memory, in descending order of their
 * symbols, each at its alignment (that of the first common symbol read; nvlink 13.0.88, links with
 * up to three commons in four objects). */
#include <assert.h>

#include "link/link.h"

static void place_common(link_context *link, struct symbol *symbol)
{
    struct output_section *global = link->output.global;
    uint64_t offset = align_up(global->size, symbol->common_alignment);
    if (symbol->common_alignment > global->alignment)
        global->alignment = symbol->common_alignment;
    global->size = offset + symbol->size;
    symbol->section = global;
    symbol->value = offset;
}

/* Commons are GLOBAL, so descending order of symbols is the reverse order of the global list. */
void layout_global(link_context *link)
{
    assert(link->stage == STAGE_MERGED);
    if (!link->commons_count)
        return;
    for (size_t i = link->output.globals_count; i-- > 0;) {
        struct symbol *symbol = link->output.globals[i];
        if (symbol->common && !symbol->defined)
            place_common(link, symbol);
    }
}
