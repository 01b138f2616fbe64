/* Writes all data about a link as JSON: --report. docs/report.schema.json describes the JSON. */
#ifndef WARPLD_REPORT_JSON_REPORT_H
#define WARPLD_REPORT_JSON_REPORT_H

#include <stdbool.h>

struct report;
struct text_output;

/* Returns false if memory ran out. */
bool json_report_write(const struct report *report, struct text_output *output);

#endif
