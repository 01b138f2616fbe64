/* Names of symbols as notes show them; see shown_name.h. The forms of the names that compilers make
 * were observed in objects that nvcc 13.0.88 wrote with -rdc=true for sm_80 and sm_90. */
#include "link/notes/shown_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/demangle.h"

/* A mangled name of LONGEST_READ characters or more is not translated. LONGEST_TRANSLATED is the
 * capacity for the readable form, before it is shortened to LONGEST_SHOWN characters. */
enum { LONGEST_SHOWN = 400, LONGEST_READ = LONGEST_SHOWN * 16, LONGEST_TRANSLATED = 16384 };

const char *static_variable_name(const char *name)
{
    static const char PREFIX[] = "__nv_static_";
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
        return name;
    char *rest;
    /* The prefix is followed by the size of a text, "_", and the text. */
    unsigned long size = strtoul(name + sizeof PREFIX - 1, &rest, 10);
    if (*rest != '_' || size >= strlen(rest + 1) || rest[1 + size] != '_' || !rest[2 + size])
        return name;
    return rest + 2 + size;
}

/* Returns the mangled name of a shared variable of a function. ptxas puts it between "$__" and a
 * number: "$___ZZ1kPiE1s__111". */
static const char *inner_name(struct arena *arena, const char *name)
{
    static const char PREFIX[] = "$__";
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
        return name;
    const char *start = name + sizeof PREFIX - 1;
    size_t size = strlen(start), end = size;
    while (end && start[end - 1] >= '0' && start[end - 1] <= '9')
        end--;
    if (end == size || end < 3 || start[end - 1] != '_' || start[end - 2] != '_')
        return name;
    return arena_copy_string(arena, start, end - 2);
}

/* Removes the namespace into which nvcc puts the static functions of a source file. */
static const char *without_file_namespace(const char *readable)
{
    static const char PREFIX[] = "_INTERNAL_";
    const char *end = strstr(readable, "::");
    bool is_internal = end && !strncmp(readable, PREFIX, sizeof PREFIX - 1);
    return is_internal ? end + 2 : readable;
}

/* Returns the text, or a copy of its start if it is too long. */
static const char *shortened(struct arena *arena, const char *text)
{
    bool is_too_long = strnlen(text, LONGEST_SHOWN + 1) > LONGEST_SHOWN;
    return is_too_long ? arena_format(arena, "%.*s...", (int)LONGEST_SHOWN, text) : text;
}

/* The readable form is not stored in the arena before it is shortened, because a short mangled name
 * can have a readable form of kilobytes. */
const char *shown_name(struct arena *arena, const char *name)
{
    char readable[LONGEST_TRANSLATED];
    if (strnlen(name, LONGEST_READ) == LONGEST_READ)
        return shortened(arena, name);
    const char *plain = static_variable_name(inner_name(arena, name));
    if (!demangle_part_into(plain, readable, sizeof readable))
        return shortened(arena, without_file_namespace(plain));
    const char *text = without_file_namespace(readable), *shown = shortened(arena, text);
    return shown == text ? arena_copy_string(arena, text, strlen(text)) : shown;
}
