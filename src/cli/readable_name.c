/* C++ names as nvlink shows them; see readable_name.h.
 *
 * The mangling is that of the Itanium C++ ABI. How nvlink 13.0.88 spells each part was found by
 * giving it functions with the names that a C++ library exports, and others of that kind. What is
 * not known here is shown as it is in the object. */
#include "cli/readable_name.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/demangle.h"

enum { MOST_TEXT = 4 << 20, LONGEST_NAME = 1 << 16, DEEPEST = 128 };

void demangle_fail(struct demangler *demangler)
{
    demangler->failed = true;
}

const char *demangle_text(struct demangler *demangler, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    const char *text = "";
    demangler->text_size += (size_t)(size < 0 ? 0 : size);
    if (size < 0 || demangler->text_size > MOST_TEXT) {
        demangle_fail(demangler);
    } else {
        char *made = arena_alloc(demangler->arena, (size_t)size + 1);
        vsnprintf(made, (size_t)size + 1, format, again);
        text = made;
    }
    va_end(again);
    return text;
}

bool demangle_accept(struct demangler *demangler, const char *part)
{
    if (demangler->failed || strncmp(demangler->next, part, strlen(part)) != 0)
        return false;
    demangler->next += strlen(part);
    return true;
}

bool demangle_enter(struct demangler *demangler)
{
    if (++demangler->depth > DEEPEST)
        demangle_fail(demangler);
    return !demangler->failed;
}

void demangle_leave(struct demangler *demangler)
{
    demangler->depth--;
}

void demangle_remember(struct demangler *demangler, struct spelling spelling)
{
    *ARENA_APPEND(demangler->arena, demangler, substitutions) = spelling;
}

size_t demangle_number(struct demangler *demangler)
{
    size_t number = 0;
    for (; isdigit((unsigned char)*demangler->next) && number < MOST_TEXT; demangler->next++)
        number = 10 * number + (size_t)(*demangler->next - '0');
    return number;
}

/* --------------------------------------------------------------------------------------------- */

static const struct {
    char code;
    const char *text;
} STANDARD[] = {
    {'a', "std::allocator"},
    {'b', "std::basic_string"},
    {'s', "std::basic_string<char, std::char_traits<char>, std::allocator<char>>"},
    {'i', "std::basic_istream<char, std::char_traits<char>>"},
    {'o', "std::basic_ostream<char, std::char_traits<char>>"},
    {'d', "std::basic_iostream<char, std::char_traits<char>>"},
};

/* Numbers count in base 36; "S_" is the first. */
static size_t read_place(struct demangler *demangler)
{
    size_t number = 0;
    if (demangle_accept(demangler, "_"))
        return 0;
    for (; isdigit((unsigned char)*demangler->next) || isupper((unsigned char)*demangler->next);
         demangler->next++) {
        int digit = isdigit((unsigned char)*demangler->next) ? *demangler->next - '0'
                                                             : *demangler->next - 'A' + 10;
        number = number < MOST_TEXT ? 36 * number + (size_t)digit : number;
    }
    if (!demangle_accept(demangler, "_"))
        demangle_fail(demangler);
    return number + 1;
}

struct spelling demangle_substitution(struct demangler *demangler)
{
    struct spelling none = {"", "", false};
    for (size_t i = 0; i < sizeof STANDARD / sizeof *STANDARD; i++)
        if (*demangler->next == STANDARD[i].code) {
            demangler->next++;
            return (struct spelling){STANDARD[i].text, "", false};
        }
    size_t place = read_place(demangler);
    if (place < demangler->substitutions_count)
        return demangler->substitutions[place];
    demangle_fail(demangler);
    return none;
}

/* What follows "__nv_static_24_", an id of 24 characters, and "_"; else the name. Static kernels
 * have such names. Other names of the compiler's begin with a dollar sign. */
static const char *mangled_part(const char *name)
{
    static const char PREFIX[] = "__nv_static_";
    const char *part = name;
    if (*name == '$') {
        part = name + 1;
    } else if (!strncmp(name, PREFIX, strlen(PREFIX))) {
        char *end;
        unsigned long size = strtoul(name + strlen(PREFIX), &end, 10);
        if (*end == '_' && size < strlen(end + 1))
            part = end + 1 + size + 1;
    }
    return strncmp(part, "_Z", 2) ? name : part;
}

/* The name up to its end or a dollar sign, where `rest` points then. NULL when it is no mangled
 * name. */
static const char *read_name(struct arena *arena, const char *name, const char **rest)
{
    struct arena pieces;
    struct demangler demangler = {.arena = &pieces, .next = name};
    const char *result = NULL;
    arena_init(&pieces, arena->out_of_memory, arena->owner);
    if (demangle_accept(&demangler, "_Z")) {
        const char *text = demangle_encoding(&demangler);
        size_t size = strlen(text);
        *rest = demangler.next;
        if (!demangler.failed && (!**rest || **rest == '$') && size <= LONGEST_NAME)
            result = arena_copy_string(arena, text, size);
    }
    arena_destroy(&pieces);
    return result;
}

/* Copies that compilers make of a function have its name, a dollar sign and a number, or a name of
 * their own instead of the number. */
const char *readable_name(struct arena *arena, const char *name)
{
    const char *mangled = mangled_part(name), *rest = "", *end = "";
    const char *text = read_name(arena, mangled, &rest);
    if (!text)
        return mangled;
    if (!*rest || (rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]))
        return text;
    const char *copy = read_name(arena, rest + 1, &end);
    return arena_format(arena, "[clone %s] %s", text, copy && !*end ? copy : rest + 1);
}
