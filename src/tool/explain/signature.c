/* Splits the readable form of a name; see signature.h. */
#include "tool/explain/signature.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "format/elf_view.h"
#include "readable_name/readable_name.h"

/* Returns the "(" that matches the ")" at the end of the text; NULL: none. */
static const char *find_opening(const char *text)
{
    size_t depth = 0;
    for (const char *at = text + strlen(text); at-- > text;) {
        if (*at == ')')
            depth++;
        else if (*at == '(' && --depth == 0)
            return at;
        else if (!depth)
            return NULL;
    }
    return NULL;
}

/* Returns the size of the type at the start of the text. The type ends at the first comma or
 * closing parenthesis that is outside all brackets. */
static size_t type_size(const char *text)
{
    size_t depth = 0, size = 0;
    for (; text[size]; size++) {
        char c = text[size];
        if (!depth && (c == ',' || c == ')'))
            break;
        if (strchr("(<[{", c))
            depth++;
        else if (depth && strchr(")>]}", c))
            depth--;
    }
    return size;
}

const char **signature_types(const struct subject *subject, uint32_t symbol, uint32_t count,
                             struct arena *arena)
{
    struct readable_names names = {.arena = arena};
    const char *readable =
        readable_message_name(&names, elf_view_symbol(&subject->view, VIEW_NATIVE, symbol).name);
    const char *next = find_opening(readable);
    if (!next)
        return NULL;
    const char **types = ARENA_ARRAY(arena, const char *, count);
    uint32_t found = 0;
    for (next++; *next && *next != ')' && found < count; found++) {
        size_t size = type_size(next);
        types[found] = arena_copy_string(arena, next, size);
        next += size;
        next += strspn(next, ", ");
    }
    return found == count && *next == ')' ? types : NULL;
}
