/* The cache of the command; see cache_choice.h. */
#include "cli/compile/cache_choice.h"

#include <stdlib.h>

const char *chosen_cache_folder(const struct command_line *line)
{
    const char *folder = command_line_text(line, OPTION_CACHE_DIR);
    return folder ? folder : getenv("WARPLD_CACHE_DIR");
}

uint64_t chosen_cache_limit(const struct command_line *line)
{
    enum { MEBIBYTE = 1 << 20 };
    long number = line->options[OPTION_CACHE_SIZE].number;
    if (!command_line_given(line, OPTION_CACHE_SIZE))
        return 0;
    return number < 1 ? 1 : (uint64_t)number * MEBIBYTE;
}
