/* Finds the section in a message's arguments; see diagnostic_section.h. */
#include "base/diagnostic_section.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool ends_in(const char *start, const char *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - start) >= size && !memcmp(end - size, word, size);
}

/* Whether the conversion at `position` in the format prints the name of a section. "ection " stands
 * for "section " and "Section ". */
static bool follows_section(const char *format, const char *position)
{
    if (position > format && position[-1] == '\'')
        position--;
    return ends_in(format, position, "ection ") || ends_in(format, position, ":(");
}

/* Skips the argument of a conversion with this length and type. */
static void skip_number(const char *length, va_list *arguments)
{
    /* NOLINTBEGIN(bugprone-branch-clone): the types differ */
    if (!strncmp(length, "ll", 2))
        (void)va_arg(*arguments, unsigned long long);
    else if (*length == 'z')
        (void)va_arg(*arguments, size_t);
    else
        (void)va_arg(*arguments, unsigned);
    /* NOLINTEND(bugprone-branch-clone) */
}

/* The formats in diagnostics.def contain only the conversions %s, %d, %u and %x, with the lengths
 * ll and z. */
const char *diagnostic_section(const char *format, va_list arguments)
{
    const char *result = NULL;
    va_list rest;
    va_copy(rest, arguments);
    for (const char *next = strchr(format, '%'); next && !result; next = strchr(next + 1, '%')) {
        const char *length = next + 1 + strspn(next + 1, "0123456789");
        if (*length == 's') {
            const char *text = va_arg(rest, const char *);
            result = follows_section(format, next) ? text : NULL;
        } else {
            skip_number(length, &rest);
        }
    }
    va_end(rest);
    return result;
}
