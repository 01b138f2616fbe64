/* Shared functions of the parser of mangled names; see spelling.h. */
#include "readable_name/spelling.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_NUMBER = 1 << 20, DEEPEST = 128 };

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
    if (size < 0 || speller->text_size > speller->most_text) {
        spell_fail(speller);
    } else {
        char *copy = arena_alloc(speller->arena, (size_t)size + 1);
        vsnprintf(copy, (size_t)size + 1, format, again);
        text = copy;
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
    for (; isdigit((unsigned char)*speller->next) && number < LARGEST_NUMBER; speller->next++)
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

/* Reads the index of a substitution: "S_" is the first, "S0_" the second. The base is 36. */
static size_t read_index(struct speller *speller)
{
    size_t number = 0;
    if (spell_accept(speller, "_"))
        return 0;
    for (; isdigit((unsigned char)*speller->next) || isupper((unsigned char)*speller->next);
         speller->next++) {
        int digit = isdigit((unsigned char)*speller->next) ? *speller->next - '0'
                                                           : *speller->next - 'A' + 10;
        number = number < LARGEST_NUMBER ? 36 * number + (size_t)digit : number;
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
    size_t index = read_index(speller);
    if (index < speller->substitutions_count)
        return speller->substitutions[index];
    spell_fail(speller);
    return none;
}
