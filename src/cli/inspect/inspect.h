/* The options that look into a finished link: --map, --report, --print-removed, --why,
 * --trace-symbol, --cref, --limit. */
#ifndef WARPLD_CLI_INSPECT_INSPECT_H
#define WARPLD_CLI_INSPECT_INSPECT_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"
#include "report/report.h"

/* The report that the options ask for, without the messages of the link, which the caller adds. */
struct report inspection_report(const struct command_line *line, struct arena *arena,
                                struct warpld_link *link, struct readable_names *names);

/* Whether one of the options listed at the top of this file was given. */
bool inspection_is_wanted(const struct command_line *line);

/* Whether the link knows the contents of its output. It does not if a compiler made the output from
 * LTO-IR. */
bool inspection_is_possible(struct warpld_link *link);

/* Whether one of the options listed at the top of this file writes to standard output. */
bool inspection_uses_stdout(const struct command_line *line);

/* Writes what the options ask for, except --limit. Returns NULL, or the path of the file that could
 * not be written. */
const char *inspection_write(const struct command_line *line, const struct report *report);

#endif
