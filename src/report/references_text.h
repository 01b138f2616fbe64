/* Lists the inputs that define symbols or refer to them, as text: --trace-symbol and --cref. */
#ifndef WARPLD_REPORT_REFERENCES_TEXT_H
#define WARPLD_REPORT_REFERENCES_TEXT_H

#include <stdbool.h>

struct report;
struct text_output;

/* Writes a line for each input that mentions a symbol whose name matches `word`. */
bool trace_symbol_write(const struct report *report, struct text_output *output, const char *word);

/* Writes a table of all symbols that are not local, with the inputs that mention each symbol. */
bool cross_references_write(const struct report *report, struct text_output *output);

#endif
