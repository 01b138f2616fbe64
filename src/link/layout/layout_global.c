/* Assigns addresses in global memory to the common symbols. With -r, pass_relocatable calls
 * layout_commons instead, and common symbols without a definition remain common.
 *
 * Requires: MERGED (.nv.global).
 * Makes: GLOBALS_PLACED, addresses of commons in .nv.global.
 * Frozen after: GLOBAL.
 *
 * pass_merge has already assigned all other addresses in global memory, by appending whole input
 * sections.
 *
 * Common symbols without a definition follow the zeroed memory of all objects. The symbol that
 * became common last has the first address. If several objects have a common symbol of the same
 * name, the first one in reading order determines the alignment (nvlink 13.0.88). */
#include "link/layout/layout_global.h"

#include <assert.h>

#include "base/bytes.h"
#include "link/layout/trace_plan.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

/* True if this link assigns an address to the symbol. With -r, a common symbol normally remains
 * common, and the final link assigns the address. But if the inputs define the symbol, the output
 * must define it, too, so that the final link refuses a second definition, as for nvlink's
 * output. */
static bool is_placed(const link_context *link, const struct symbol *symbol)
{
    return symbol->common && (symbol->defined || !link->options.relocatable);
}

static void place_common(link_context *link, struct symbol *symbol)
{
    struct output_section *global = link->output.global;
    assert(global); /* a common symbol or its definition is in global memory */
    uint64_t offset = align_up(global->size, symbol_rare(symbol)->common_alignment);
    if (symbol_rare(symbol)->common_alignment > global->alignment)
        global->alignment = symbol_rare(symbol)->common_alignment;
    global->size = add_sizes(offset, symbol->size);
    symbol->section = global;
    symbol->value = offset;
    if (link->options.relocatable)
        symbol->common = false; /* the output must define the symbol: see is_placed */
}

void layout_commons(link_context *link)
{
    for (size_t i = link->resolve->commons_count; i-- > 0;)
        if (is_placed(link, link->resolve->commons[i]))
            place_common(link, link->resolve->commons[i]);
}

void pass_layout_global(link_context *link)
{
    layout_commons(link);
    trace_global_addresses(link);
}
