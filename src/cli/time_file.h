/* The table of --time: how long each compilation took. */
#ifndef WARPLD_CLI_TIME_FILE_H
#define WARPLD_CLI_TIME_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "warpld.h"

struct time_file {
    FILE *stream; /* NULL: no table is requested */
    const char *tool;
};

/* Opens the file for appending; "-" stands for standard output. Writes the headings if the table is
 * empty. Returns false if the file cannot be opened. */
bool time_file_open(struct time_file *file, const char *path, const char *tool);

void time_file_add(struct time_file *file, const struct warpld_compile_request *request,
                   double milliseconds);

/* Adds a row for a run of the optimiser of LTO-IR. */
void time_file_add_optimiser(struct time_file *file, const char *architecture, double milliseconds);

/* Closes the file. Returns false if a part of the table could not be written. Errors on standard
 * output are not reported here, but at the end of the run. */
bool time_file_close(struct time_file *file);

#endif
