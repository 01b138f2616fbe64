/* The table of --time: how long each compilation took. */
#ifndef WARPLD_CLI_TIME_FILE_H
#define WARPLD_CLI_TIME_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "warpld.h"

struct time_file {
    FILE *stream; /* NULL: no table is wanted */
    const char *tool;
};

/* Opens the file to append to it; "-" is standard output. An empty table gets its headings. False
 * when it cannot be opened. */
bool time_file_open(struct time_file *file, const char *path, const char *tool);

void time_file_add(struct time_file *file, const struct warpld_compile_request *request,
                   double milliseconds);

/* False when not all of it has arrived. What became of standard output is told at the end of the
 * run. */
bool time_file_close(struct time_file *file);

#endif
