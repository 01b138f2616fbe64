/* Replaces mangled names in texts; see readable_text.h. */
#include "readable_name/readable_text.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "readable_name/readable_name.h"
#include "readable_name/static_name.h"

static const char OF_NAMES[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";

static bool is_of_name(char c)
{
    return c && strchr(OF_NAMES, c);
}

static bool starts_like_mangled(const char *name)
{
    static const char STARTS[][16] = {"_Z", "_R", "$_Z", "__nv_static_"};
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        if (!strncmp(name, STARTS[i], strlen(STARTS[i])))
            return true;
    return false;
}

bool readable_text_replaces(const char *name)
{
    return name && starts_like_mangled(name) && !name[strspn(name, OF_NAMES)];
}

/* Returns the start of the next word that looks like a mangled name, and sets *size to its size.
 * Returns NULL if there is none. */
static const char *find_name(const char *text, const char *from, size_t *size)
{
    for (const char *next = from; *next; next += *size ? *size : 1) {
        *size = strspn(next, OF_NAMES);
        bool is_whole = next == text || !is_of_name(next[-1]);
        bool is_part_of_file = next[*size] == '.' && is_of_name(next[*size + 1]);
        bool has_escape = next[*size] == '\\'; /* the name has a control character */
        if (*size && is_whole && !is_part_of_file && !has_escape && starts_like_mangled(next))
            return next;
    }
    return NULL;
}

/* Removes the namespaces of static names from the readable names in the text. libwarpld has made
 * these names readable already, so readable_message_name does not shorten them: it reads mangled
 * names only. */
static const char *shorten_static_names(struct arena *arena, const char *text)
{
    if (!static_names_occur(text))
        return text;
    char *copy = arena_copy_string(arena, text, strlen(text));
    static_names_shorten(copy);
    return copy;
}

const char *readable_text(struct readable_names *names, const char *whole_text)
{
    struct arena *arena = names->arena;
    const char *text = shorten_static_names(arena, whole_text);
    struct {
        GROWING_ARRAY(const char *, pieces);
    } found = {.pieces = NULL};
    const char *rest = text;
    size_t size;
    for (const char *at; (at = find_name(text, rest, &size)); rest = at + size) {
        *ARENA_APPEND(arena, &found, pieces) = arena_copy_string(arena, rest, (size_t)(at - rest));
        *ARENA_APPEND(arena, &found, pieces) =
            readable_message_name(names, arena_copy_string(arena, at, size));
    }
    if (!found.pieces_count)
        return text;
    *ARENA_APPEND(arena, &found, pieces) = rest;
    return arena_join_all(arena, found.pieces, found.pieces_count, "");
}
