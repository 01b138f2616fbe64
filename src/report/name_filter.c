/* Names that users write; see name_filter.h. */
#include "report/name_filter.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "readable_name/readable_name.h"
#include "report/report.h"

/* --------------------------------------------------------------------------------------------- */
/* Parts of readable names                                                                       */

/* Returns the position of the first bracket, where the parameters or template arguments begin.
 * Brackets in the name of an operator, such as "operator<", are skipped. */
static size_t end_of_qualified_name(const char *name)
{
    static const char OPERATOR[] = "operator";
    const char *found = strstr(name, OPERATOR);
    size_t start = found ? (size_t)(found - name) + strlen(OPERATOR) : 0;
    while (found && name[start] && strchr("()<>", name[start]))
        start++;
    return start + strcspn(name + start, "(<");
}

/* Finds the qualified name in a readable name: "ns::scale" in "void ns::scale<int>(int*)". It
 * begins after the last blank before the brackets. Returns its start and sets *size. */
static const char *qualified_name(const char *readable, size_t *size)
{
    size_t end = end_of_qualified_name(readable), start = end;
    while (start && readable[start - 1] != ' ')
        start--;
    *size = end - start;
    return readable + start;
}

/* --------------------------------------------------------------------------------------------- */
/* Comparison                                                                                    */

/* Whether the pattern matches the whole text. After a mismatch, only the last star that was reached
 * matches one more character; earlier stars keep what they match. This limits the time to the
 * product of both lengths. */
static bool matches(const char *pattern, const char *text, size_t size)
{
    const char *star = NULL, *end = text + size, *after = text;
    while (text < end) {
        if (*pattern == '*') {
            star = ++pattern;
            after = text;
        } else if (*pattern && *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++after;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

static bool is_equal(const char *word, const char *text, size_t size)
{
    return strlen(word) == size && !memcmp(word, text, size);
}

typedef bool compare_name(const char *word, const char *text, size_t size);

static bool any_form(const struct name_forms *forms, const char *word, compare_name *compare)
{
    return compare(word, forms->mangled, strlen(forms->mangled)) ||
           compare(word, forms->readable, strlen(forms->readable)) ||
           compare(word, forms->qualified, forms->qualified_size);
}

struct name_forms name_forms_of(const struct report *report, const char *name)
{
    struct name_forms forms = {.mangled = name};
    forms.readable = readable_message_name(report->names, name);
    forms.qualified = qualified_name(forms.readable, &forms.qualified_size);
    return forms;
}

bool name_is_meant(const struct report *report, const char *word, const char *name)
{
    struct name_forms forms = name_forms_of(report, name);
    return any_form(&forms, word, is_equal);
}

bool name_forms_match(const struct name_forms *forms, const char *pattern)
{
    return any_form(forms, pattern, matches);
}
