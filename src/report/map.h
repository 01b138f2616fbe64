/* The map of the output: --map. */
#ifndef WARPLD_REPORT_MAP_H
#define WARPLD_REPORT_MAP_H

#include <stdbool.h>

struct report;
struct text_output;

/* Writes a line for each piece of the file, then the sizes of the memory spaces and the resources
 * of each kernel. Returns false if memory ran out. */
bool map_write(const struct report *report, struct text_output *output);

#endif
