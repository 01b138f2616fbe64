/* Assigns addresses in global memory to the common symbols. With -r, pass_relocatable calls
 * layout_commons, which then leaves those without a definition to the final link.
 *
 * Requires: MERGED (.nv.global).
 * Makes: GLOBALS_PLACED, addresses of commons in .nv.global.
 * Frozen after: GLOBAL.
 *
 * Everything else in global memory already has its address from pass_merge, which appends whole
 * input sections.
 *
 * Commons without a definition follow the zeroed memory of all objects, in the reverse of the order
 * in which the symbols became commons. Each has the alignment of the first common symbol of its
 * name that was read (nvlink 13.0.88). */
#include "link/layout/layout_global.h"

#include <assert.h>

#include "base/bytes.h"
#include "link/layout/trace_plan.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

/* True if the symbol is assigned an address. A relocatable output leaves a common symbol to the
 * final link, unless it has a definition: the output must contain the definition, so that the final
 * link refuses a second one (as with nvlink's output). */
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
        symbol->common = false; /* it is written as any other definition */
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
