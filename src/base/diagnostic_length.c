/* Shortens messages; see diagnostic_length.h. */
#include "base/diagnostic_length.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/diagnostic.h"

enum { LONGEST = 4 << 20, KEPT_AT_EACH_END = 2000 };

static bool is_too_long(const char *text)
{
    return text && strlen(text) > LONGEST;
}

static void leave_middle_out(char *text)
{
    static const char GAP[] = " [...] ";
    char *gap = text + KEPT_AT_EACH_END, *end = text + strlen(text) - KEPT_AT_EACH_END;
    memcpy(gap, GAP, sizeof GAP - 1);
    memmove(gap + sizeof GAP - 1, end, KEPT_AT_EACH_END + 1);
}

void diagnostic_shorten(struct diagnostic *diagnostic, char *text)
{
    if (is_too_long(text))
        leave_middle_out(text);
    if (is_too_long(diagnostic->symbol))
        diagnostic->symbol = NULL;
    if (is_too_long(diagnostic->section))
        diagnostic->section = NULL;
}
