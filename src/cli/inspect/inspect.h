/* The options that describe a finished link: --map, --report, --print-removed, --why,
 * --trace-symbol, --cref, --limit. */
#ifndef WARPLD_CLI_INSPECT_INSPECT_H
#define WARPLD_CLI_INSPECT_INSPECT_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"
#include "report/report.h"

/* Returns the data from which maps, reports and texts about the link are written. The caller adds
 * the link's messages. */
struct report inspection_report(const struct command_line *line, struct arena *arena,
                                struct warpld_link *link, struct readable_names *names);

/* Whether one of the options listed at the top of this file was given. */
bool inspection_is_wanted(const struct command_line *line);

/* Whether the link knows the contents of its output. It does not if a compiler made the output from
 * LTO-IR. */
bool inspection_is_possible(struct warpld_link *link);

/* Whether one of the options listed at the top of this file writes to standard output. */
bool inspection_uses_stdout(const struct command_line *line);

/* Writes the map, the reports and the texts that the options request. Limits are checked separately
 * (limit_errors.h). Returns NULL, or the path of the file that could not be written. */
const char *inspection_write(const struct command_line *line, const struct report *report);

#endif
