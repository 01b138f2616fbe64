/* The messages of a run as a SARIF 2.1.0 log: --diagnostics-format=sarif. */
#ifndef WARPLD_CLI_REPORT_SARIF_H
#define WARPLD_CLI_REPORT_SARIF_H

#include <stddef.h>

#include "base/arena.h"
#include "cli/report/message.h"

struct json_t;

struct sarif_log {
    size_t results_count;
    /* a rule for each code that occurs, in the order in which the codes first occur */
    struct json_t *rules;
};

/* A part of the log, as three texts that follow one another. The caller writes each part
 * immediately, because a JSON tree of a million results would need gigabytes. */
struct sarif_part {
    const char *before;
    char *text; /* the caller frees it */
    const char *after;
};

/* Returns the line for the result that represents a message. The arena is used for temporary
 * texts. */
struct sarif_part sarif_log_add(struct sarif_log *log, struct arena *arena,
                                const struct message *message);

/* Returns the end of the log, which follows the last result, and frees the log's memory. */
struct sarif_part sarif_log_finish(struct sarif_log *log, struct arena *arena, int exit_status);

#endif
