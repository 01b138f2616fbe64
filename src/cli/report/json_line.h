/* A message as a line of JSON: --diagnostics-format=json. */
#ifndef WARPLD_CLI_REPORT_JSON_LINE_H
#define WARPLD_CLI_REPORT_JSON_LINE_H

#include "base/arena.h"
#include "cli/report/message.h"

/* Returns the line without its newline. The caller frees it. The arena is used for temporary
 * texts. */
char *json_line_of(struct arena *arena, const struct message *message);

#endif
