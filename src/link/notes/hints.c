/* Reports undefined names that belong to a known library; see hints.h and hints.def. pass_undefined
 * calls these functions when a link fails. nvlink has no such notes. */
#include "link/notes/hints.h"

#include <string.h>

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/name_table.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/notes/entity_name.h"
#include "link/notes/name_pattern.h"
#include "link/notes/shown_name.h"

/* The texts are arrays. If they were pointers, the dynamic loader would have to relocate them
 * whenever warpld starts. */
struct hint {
    char owner[80];
    char remedy[128];
    char patterns[800];
};

static const struct hint HINTS[] = {
#define HINT(owner, remedy, patterns) {owner, remedy, patterns},
#include "link/notes/hints.def"
#undef HINT
};

/* A row of hints.def, the first undefined name that belongs to it, and the number of such names. */
struct hint_use {
    const struct hint *hint;
    const struct symbol *first;
    size_t count;
};

/* Compares the first two characters before the whole pattern, because a program can have a million
 * names, and few of them match. */
static bool matches(struct bytes pattern, struct bytes name)
{
    for (size_t i = 0; i < 2 && i < pattern.size && pattern.data[i] != '*'; i++)
        if (i >= name.size || pattern.data[i] != name.data[i])
            return false;
    return name_pattern_matches(pattern, name);
}

/* Returns true if the pattern matches the name. A pattern that begins with "_Z#" is compared with
 * `global` instead. This is the identifier if the name is the mangled name of a function in the
 * global namespace, otherwise empty. */
static bool pattern_fits(struct bytes pattern, struct bytes name, struct bytes global)
{
    static const char MARK[] = "_Z#";
    size_t size = sizeof MARK - 1;
    if (pattern.size < size || memcmp(pattern.data, MARK, size) != 0)
        return matches(pattern, name);
    return global.size && matches((struct bytes){pattern.data + size, pattern.size - size}, global);
}

static bool hint_fits(const struct hint *hint, struct bytes name, struct bytes global)
{
    for (const char *next = hint->patterns; *next;) {
        size_t size = strcspn(next, " ");
        if (pattern_fits((struct bytes){(const uint8_t *)next, size}, name, global))
            return true;
        next += size + (next[size] == ' ');
    }
    return false;
}

static const struct hint *find_hint(const struct name *name)
{
    struct bytes text = {(const uint8_t *)name->text, name->size}, global = {NULL, 0};
    struct entity_name entity;
    if (entity_name_read(&entity, name->text) && entity.is_mangled && !entity.scope.size)
        global = entity.identifier;
    for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; i++)
        if (hint_fits(&HINTS[i], text, global))
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

bool hints_add(link_context *link, struct hints *hints, const struct symbol *symbol)
{
    const struct hint *hint = find_hint(&symbol->name->name);
    if (!hint)
        return false;
    struct hint_use *use = use_of(link, hints, hint);
    if (!use->count++)
        use->first = symbol;
    return true;
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
