/* The messages of a run as a SARIF 2.1.0 log: --diagnostics-format=sarif. */
#ifndef WARPLD_CLI_REPORT_SARIF_H
#define WARPLD_CLI_REPORT_SARIF_H

#include <stddef.h>

#include "base/arena.h"
#include "cli/report/message.h"

struct json_t;

struct sarif_log {
    size_t results_count;
    struct json_t *rules; /* of the codes that occur, in the order of their first results */
};

/* A line of the log: three texts that follow one another. The caller writes each line as soon as it
 * is made, because a JSON tree of a million results would need gigabytes. */
struct sarif_part {
    const char *before;
    char *text; /* the caller frees it */
    const char *after;
};

/* Returns the line of a result. The arena provides memory for texts. */
struct sarif_part sarif_log_add(struct sarif_log *log, struct arena *arena,
                                const struct message *message);

/* Returns the end of the log, and frees its memory. */
struct sarif_part sarif_log_finish(struct sarif_log *log, struct arena *arena, int exit_status);

#endif
