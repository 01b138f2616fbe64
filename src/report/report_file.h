/* Writes reports to files. */
#ifndef WARPLD_REPORT_REPORT_FILE_H
#define WARPLD_REPORT_REPORT_FILE_H

#include <stdbool.h>

struct report;
struct text_output;

/* Writes a report; returns false if memory ran out. */
typedef bool report_writer(const struct report *report, struct text_output *output);

/* Writes the report to a file, which is replaced as a whole, or to standard output if the path is
 * "-". Returns 0 or an errno value; ECANCELED: memory ran out, which the library has reported. */
int report_write_file(const struct report *report, const char *path, report_writer *write);

#endif
