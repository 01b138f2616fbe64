/* Finds, for each alias, the function whose code it shares.
 *
 * Requires: RESOLVED (aliases and definitions).
 * Makes: ALIASED; mutates alias_of.
 * Frozen after: ALIASES.
 *
 * An alias refers to a function of the object that defines the alias. The program's definition of
 * this function can be an alias in another object. Then the pass follows the chain to its end. The
 * pass reports cycles of aliases, which are possible if three objects or more define weak names. */
#include "base/arena.h"
#include "base/diagnostic.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Returns the function at the end of the chain, or a function on the cycle if there is one. `walk`
 * has for each function the number of the last walk that visited it. */
static struct function *follow_aliases(struct function *function, uint32_t *walk)
{
    uint32_t number = function->index + 1;
    while (function->alias_of && walk[function->index] != number) {
        walk[function->index] = number;
        function = function->alias_of;
    }
    return function;
}

/* Sets alias_of of each function in the chain to the end of the chain, so that no part is followed
 * again. If the aliases form a cycle, `end` is NULL, which breaks the cycle. */
static void set_end(struct function *function, struct function *end)
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
        set_end(function, end->alias_of ? NULL : end);
    }
}
