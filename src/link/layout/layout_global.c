/* Global memory: places the common symbols. With -r, as part of relocatable, only a few of them.
 *
 * Requires: merge. Makes: addresses of commons in .nv.global. Everything else in global memory has
 * its address from the merge, because whole input sections are appended.
 *
 * Commons without a definition follow all objects' zeroed memory, the one that was last to become a
 * common first, each at its alignment (that of the first common symbol read; nvlink 13.0.88). */
#include "link/layout/layout_global.h"

#include <assert.h>

#include "base/bytes.h"
#include "link/layout/trace_plan.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

/* A relocatable output leaves a common symbol to the final link, unless it has a definition: that
 * the output must have, so that another one is refused there (as in nvlink's). */
static bool has_place(const link_context *link, const struct symbol *symbol)
{
    return symbol->common && (symbol->defined || !link->options.relocatable);
}

static void place_common(link_context *link, struct symbol *symbol)
{
    struct output_section *global = link->output.global;
    assert(global); /* a common symbol, or what defines it, is in global memory */
    uint64_t offset = align_up(global->size, symbol_rare(symbol)->common_alignment);
    if (symbol_rare(symbol)->common_alignment > global->alignment)
        global->alignment = symbol_rare(symbol)->common_alignment;
    global->size = add_sizes(offset, symbol->size);
    symbol->section = global;
    symbol->value = offset;
    if (link->options.relocatable)
        symbol->common = false; /* it is written as any other definition */
}

void layout_commons(link_context *link)
{
    for (size_t i = link->resolve->commons_count; i-- > 0;)
        if (has_place(link, link->resolve->commons[i]))
            place_common(link, link->resolve->commons[i]);
}

void pass_layout_global(link_context *link)
{
    layout_commons(link);
    trace_global_addresses(link);
}
