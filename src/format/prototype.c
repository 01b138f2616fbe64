/* Translates prototypes into readable types; see prototype.h and prototype_code.def. */
#include "format/prototype.h"

#include <stdio.h>
#include <string.h>

static const char *type_of(char letter)
{
    static const struct {
        char letter;
        char type[28]; /* not a pointer, because pointers need a relocation at each program start */
    } CODES[] = {
#define PROTOTYPE_CODE(letter, type, ptx) {letter, type},
#include "format/prototype_code.def"
#undef PROTOTYPE_CODE
    };
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
        if (CODES[i].letter == letter)
            return CODES[i].type;
    return NULL;
}

/* Appends `part` to `text`. Returns false if the result does not fit into the capacity. */
static bool append(char *text, size_t capacity, const char *part)
{
    size_t size = strlen(text), added = strlen(part);
    if (added >= capacity - size)
        return false;
    memcpy(text + size, part, added + 1);
    return true;
}

/* Reads one type, appends its description to the text, and advances *code. An array of bytes, such
 * as "b16", is a structure. The array "b0" stands for "...": nvcc writes the parameter ".b8 p[]",
 * which has no length. */
static bool append_type(const char **code, char *text, size_t capacity)
{
    enum { MOST_DIGITS = 20 };
    char part[64];
    char letter = **code;
    const char *type = type_of(letter), *digits = ++*code;
    size_t count = 0;
    while (count <= MOST_DIGITS && digits[count] >= '0' && digits[count] <= '9')
        count++;
    if (!type || count > MOST_DIGITS)
        return false;
    *code += count;
    if (!count)
        return append(text, capacity, type);
    if (letter == 'b' && count == 1 && *digits == '0')
        return append(text, capacity, "...");
    snprintf(part, sizeof part, letter == 'b' ? "%.*s-byte struct" : "%.*s elements of ",
             (int)count, digits);
    return append(text, capacity, part) && (letter == 'b' || append(text, capacity, type));
}

bool prototype_describe(const char *code, char *text, size_t capacity)
{
    *text = 0;
    if (*code != '#' || !code[1])
        return false;
    code++;
    if (!append_type(&code, text, capacity) || !append(text, capacity, " ("))
        return false;
    for (bool is_first = true; *code && *code != '|'; is_first = false)
        if ((!is_first && !append(text, capacity, ", ")) || !append_type(&code, text, capacity))
            return false;
    return append(text, capacity, ")");
}
