/* The report as a page for a browser: --report FILE.html. */
#ifndef WARPLD_REPORT_HTML_REPORT_H
#define WARPLD_REPORT_HTML_REPORT_H

#include <stdbool.h>

struct report;
struct text_output;

/* Writes the text of page.html with the JSON report inserted. Returns false if memory ran out. */
bool html_report_write(const struct report *report, struct text_output *output);

#endif
