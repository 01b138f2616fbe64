/* Undefined names that belong to a known library; see hints.h and hints.def. Part of undefined, for
 * links that fail: nvlink says nothing about them. */
#include "link/resolve/hints.h"

#include <string.h>

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/name_table.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/resolve/name_pattern.h"
#include "link/resolve/shown_name.h"

enum { MOST_PATTERNS = 64 };

struct hint {
    const char *owner;
    const char *remedy;
    const char *patterns[MOST_PATTERNS]; /* up to the first NULL */
};

static const struct hint HINTS[] = {
#define HINT(owner, remedy, ...) {owner, remedy, {__VA_ARGS__}},
#include "link/resolve/hints.def"
#undef HINT
};

/* A row with undefined names. */
struct hint_use {
    const struct hint *hint;
    const struct symbol *first;
    size_t count;
};

/* Compares two characters first, which rejects most patterns of a million names. */
static bool matches(const char *pattern, struct bytes name)
{
    size_t fixed = strcspn(pattern, "*");
    if (fixed > 2)
        fixed = 2;
    return name.size >= fixed && !memcmp(pattern, name.data, fixed) &&
           name_pattern_matches((struct bytes){(const uint8_t *)pattern, strlen(pattern)}, name);
}

static const struct hint *find_hint(const struct name *name)
{
    struct bytes text = {(const uint8_t *)name->text, name->size};
    for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; i++)
        for (const char *const *p = HINTS[i].patterns; p < HINTS[i].patterns + MOST_PATTERNS && *p;
             p++)
            if (matches(*p, text))
                return &HINTS[i];
    return NULL;
}

static struct hint_use *use_of(link_context *link, struct hints *hints, const struct hint *hint)
{
    for (size_t i = 0; i < hints->uses_count; i++)
        if (hints->uses[i].hint == hint)
            return &hints->uses[i];
    struct hint_use *use = ARENA_APPEND(&link->arena, hints, uses);
    use->hint = hint;
    return use;
}

void hints_add(link_context *link, struct hints *hints, const struct symbol *symbol)
{
    const struct hint *hint = find_hint(&symbol->name->name);
    if (!hint)
        return;
    struct hint_use *use = use_of(link, hints, hint);
    if (!use->count++)
        use->first = symbol;
}

void hints_report(link_context *link, const struct hints *hints)
{
    struct diagnostics *diagnostics = &link->diagnostics;
    for (size_t i = 0; i < hints->uses_count; i++) {
        const struct hint_use *use = &hints->uses[i];
        const char *name = symbol_name(use->first);
        const char *shown = shown_name(&link->arena, name);
        if (use->count == 1)
            diagnostic_report(diagnostics, DIAGNOSTIC_HINT, NULL, name, shown, use->hint->owner,
                              use->hint->remedy);
        else
            diagnostic_report(diagnostics, DIAGNOSTIC_HINT_FOR_SEVERAL, NULL, name, shown,
                              use->count - 1, use->hint->owner, use->hint->remedy);
    }
}
