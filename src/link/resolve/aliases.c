/* Whose code an alias has in the end.
 *
 * Requires: resolved names. Mutates: alias_of. An alias names the function whose code it shares in
 * the object that defines it. When the program's definition of that function is an alias as well,
 * the code is that of a function further on. Reports aliases that go round in a circle; that takes
 * three objects with weak names. */
#include "base/arena.h"
#include "base/diagnostic.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* The function at the end of the chain, or one that the walk had met already. walk: by function,
 * the last walk that was there. */
static struct function *follow_aliases(struct function *function, uint32_t *walk)
{
    uint32_t number = function->index + 1;
    while (function->alias_of && walk[function->index] != number) {
        walk[function->index] = number;
        function = function->alias_of;
    }
    return function;
}

/* Everything on the chain is given its end, so that no part is walked twice; a circle is opened. */
static void settle_alias(struct function *function, struct function *end)
{
    while (function->alias_of) {
        struct function *next = function->alias_of;
        function->alias_of = end;
        function = next;
    }
}

void pass_aliases(link_context *link)
{
    uint32_t *walk = ARENA_ARRAY(&link->arena, uint32_t, link->functions_count);
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        struct function *end = follow_aliases(function, walk);
        const struct symbol *symbol = function->symbol;
        if (end->alias_of)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_ALIAS_CYCLE, symbol->object->name,
                              symbol_name(symbol), symbol_name(symbol));
        settle_alias(function, end->alias_of ? NULL : end);
    }
}
