/* Allocates the fields that few symbols and functions need; see symbols.h. */
#include "link/model/symbols.h"

#include <string.h>

#include "base/name_table.h"
#include "link/model/link_context.h"

struct rare_symbol *symbol_add_rare(link_context *link, struct symbol *symbol)
{
    if (!symbol->rare)
        symbol->rare = ARENA_NEW(&link->arena, struct rare_symbol);
    return symbol->rare;
}

struct rare_function *function_add_rare(link_context *link, struct function *function)
{
    if (!function->rare)
        function->rare = ARENA_NEW(&link->arena, struct rare_function);
    return function->rare;
}

struct function *function_first_static(const link_context *link, const struct function *function)
{
    const struct symbol *first = name_uses(link, function->symbol->name)->first_local;
    if (!first || first->function)
        return first ? first->function : NULL;
    const struct static_function *entry =
        name_table_find(&link->names.static_functions, symbol_name(function->symbol));
    return entry ? entry->function : NULL;
}

void function_note_static(link_context *link, struct function *function)
{
    struct static_function *entry =
        name_table_intern(&link->names.static_functions, symbol_name(function->symbol));
    if (!entry->function)
        entry->function = function;
}

struct shared_memory *function_add_shared_memory(link_context *link, struct function *function)
{
    if (!function->shared_memory) {
        function->shared_memory = ARENA_NEW(&link->arena, struct shared_memory);
        *function->shared_memory = *function_shared_memory(&(struct function){.symbol = NULL});
    }
    return function->shared_memory;
}

/* Inserts the kind into the function's array, which is sorted by kind. Copying the array is cheap:
 * most functions have one or two kinds, each of which is added once. */
struct inherited *function_add_inherited(link_context *link, struct function *function,
                                         enum inherited_kind kind)
{
    size_t before = function_inherited_before(function, kind);
    if (function->inherited_kinds >> kind & 1)
        return &function->inherited[before];
    size_t count = function_inherited_before(function, INHERITED_COUNT);
    struct inherited *larger = ARENA_ARRAY(&link->arena, struct inherited, count + 1);
    if (count) { /* memcpy does not accept a null pointer */
        memcpy(larger, function->inherited, before * sizeof *larger);
        memcpy(larger + before + 1, function->inherited + before,
               (count - before) * sizeof *larger);
    }
    function->inherited = larger;
    function->inherited_kinds |= (uint16_t)(1U << kind);
    return &larger[before];
}
