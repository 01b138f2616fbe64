/* Names that nothing defines.
 *
 * Requires: merge. Reports each undefined name once, with the first object that refers to it.
 *
 * A function that only removed functions call is not reported, a variable that only they use is;
 * weak references and functions of the driver may stay undefined, and textures are bound by the
 * host (observed with nvlink 13.0.88). */
#include <assert.h>

#include "link/link.h"
#include "link/system_symbols.h"

static bool may_stay_undefined(const link_context *link, const struct symbol *symbol)
{
    if (symbol->defined || symbol->common || symbol->linker_made || symbol->dropped)
        return true;
    if (symbol->binding == STB_WEAK || symbol->is_texture || symbol_is_extern_shared(symbol))
        return true;
    if (!symbol->function)
        return link->options.allow_undefined_globals;
    return (!symbol->function->kept || system_function(symbol->name->name.text));
}

void undefined(link_context *link)
{
    assert(link->stage == STAGE_LAID_OUT);
    for (size_t i = 0; i < link->output.globals_count; i++) {
        const struct symbol *symbol = link->output.globals[i];
        if (!may_stay_undefined(link, symbol))
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNDEFINED_REFERENCE,
                              symbol->object->name, symbol->name->name.text,
                              symbol->name->name.text, symbol->object->name);
    }
}
