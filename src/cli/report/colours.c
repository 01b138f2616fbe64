/* Chooses colours; see colours.h. */
#include "cli/report/colours.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

bool colours_fit_terminal(int descriptor)
{
    const char *terminal = getenv("TERM");
    bool is_able = terminal && strcmp(terminal, "dumb") != 0;
    return isatty(descriptor) && is_able && !is_set("NO_COLOR");
}

static bool is_zero(const char *name)
{
    const char *value = getenv(name);
    return value && !strcmp(value, "0");
}

bool colours_wanted(const char *choice, bool is_file, int descriptor)
{
    if (choice && strcmp(choice, "auto") != 0)
        return !strcmp(choice, "always");
    if (is_file || is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && !is_zero("CLICOLOR_FORCE"))
        return true;
    return !is_zero("CLICOLOR") && colours_fit_terminal(descriptor);
}
