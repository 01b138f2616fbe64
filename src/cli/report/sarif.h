/* The messages of a run as a SARIF 2.1.0 log: --diagnostics-format=sarif. */
#ifndef WARPLD_CLI_REPORT_SARIF_H
#define WARPLD_CLI_REPORT_SARIF_H

#include "base/arena.h"
#include "cli/report/message.h"

struct json_t;

struct sarif_log {
    struct json_t *results;
    struct json_t *rules; /* of the codes that occur, in the order of their first results */
};

/* The arena takes texts; the log frees what it has when it is finished. */
void sarif_log_add(struct sarif_log *log, struct arena *arena, const struct message *message);

/* Returns the log as JSON text; the caller frees it. */
char *sarif_log_finish(struct sarif_log *log, struct arena *arena, int exit_status);

#endif
