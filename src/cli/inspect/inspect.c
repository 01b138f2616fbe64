/* Options that look into a finished link; see inspect.h. */
#include "cli/inspect/inspect.h"

#include <stddef.h>

#include "report/map.h"
#include "report/report_file.h"

static const enum option_id OPTIONS[] = {OPTION_MAP,          OPTION_REPORT, OPTION_PRINT_REMOVED,
                                         OPTION_WHY,          OPTION_CREF,   OPTION_TRACE_SYMBOL,
                                         OPTION_LIMIT};

bool inspection_is_wanted(const struct command_line *line)
{
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (command_line_given(line, OPTIONS[i]))
            return true;
    return false;
}

const char *inspection_write(const struct command_line *line, const struct report *report)
{
    const char *map = command_line_text(line, OPTION_MAP);
    if (map && report_write_file(report, map, map_write))
        return map;
    return NULL;
}
