/* C++ names as nvlink shows them; see readable_name.h.
 *
 * The mangling is that of the Itanium C++ ABI. How nvlink 13.0.88 spells each part was found by
 * giving it functions with the names that a C++ library exports, and others of that kind: it writes
 * "const int &" where the demangler of base/demangle.h, which serves where no text is compared, has
 * "int const&". That one also has the names that are not known here. */
#include "cli/readable_name.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "cli/spelling.h"

enum { MOST_TEXT = 4 << 20, LONGEST_NAME = 1 << 16, DEEPEST = 128 };

void spell_fail(struct speller *speller)
{
    speller->failed = true;
}

const char *spell_text(struct speller *speller, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    const char *text = "";
    speller->text_size += (size_t)(size < 0 ? 0 : size);
    if (size < 0 || speller->text_size > MOST_TEXT) {
        spell_fail(speller);
    } else {
        char *made = arena_alloc(speller->arena, (size_t)size + 1);
        vsnprintf(made, (size_t)size + 1, format, again);
        text = made;
    }
    va_end(again);
    return text;
}

bool spell_accept(struct speller *speller, const char *part)
{
    if (speller->failed || strncmp(speller->next, part, strlen(part)) != 0)
        return false;
    speller->next += strlen(part);
    return true;
}

bool spell_enter(struct speller *speller)
{
    if (++speller->depth > DEEPEST)
        spell_fail(speller);
    return !speller->failed;
}

void spell_leave(struct speller *speller)
{
    speller->depth--;
}

void spell_remember(struct speller *speller, struct spelling spelling)
{
    *ARENA_APPEND(speller->arena, speller, substitutions) = spelling;
}

size_t spell_number(struct speller *speller)
{
    size_t number = 0;
    for (; isdigit((unsigned char)*speller->next) && number < MOST_TEXT; speller->next++)
        number = 10 * number + (size_t)(*speller->next - '0');
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
static size_t read_place(struct speller *speller)
{
    size_t number = 0;
    if (spell_accept(speller, "_"))
        return 0;
    for (; isdigit((unsigned char)*speller->next) || isupper((unsigned char)*speller->next);
         speller->next++) {
        int digit = isdigit((unsigned char)*speller->next) ? *speller->next - '0'
                                                           : *speller->next - 'A' + 10;
        number = number < MOST_TEXT ? 36 * number + (size_t)digit : number;
    }
    if (!spell_accept(speller, "_"))
        spell_fail(speller);
    return number + 1;
}

struct spelling spell_substitution(struct speller *speller)
{
    struct spelling none = {"", "", false};
    for (size_t i = 0; i < sizeof STANDARD / sizeof *STANDARD; i++)
        if (*speller->next == STANDARD[i].code) {
            speller->next++;
            return (struct spelling){STANDARD[i].text, "", false};
        }
    size_t place = read_place(speller);
    if (place < speller->substitutions_count)
        return speller->substitutions[place];
    spell_fail(speller);
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
    struct speller speller = {.arena = &pieces, .next = name};
    const char *result = NULL;
    arena_init(&pieces, arena->out_of_memory, arena->owner);
    if (spell_accept(&speller, "_Z")) {
        const char *text = spell_encoding(&speller);
        size_t size = strlen(text);
        *rest = speller.next;
        if (!speller.failed && (!**rest || **rest == '$') && size <= LONGEST_NAME)
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
        return demangle_name(arena, mangled);
    if (!*rest || (rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]))
        return text;
    const char *copy = read_name(arena, rest + 1, &end);
    return arena_format(arena, "[clone %s] %s", text, copy && !*end ? copy : rest + 1);
}
