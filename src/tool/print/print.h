/* Prints rows as text or JSON. */
#ifndef WARPLD_TOOL_PRINT_PRINT_H
#define WARPLD_TOOL_PRINT_PRINT_H

#include <stdbool.h>

#include <jansson.h>

#include "tool/decode/listing.h"

/* Prints the rows in the listing's layout, each line after `indent` spaces. */
void print_listing(const struct listing *listing, int indent);

/* Prints the rows of a table as comma-separated values (RFC 4180), with a column for each key that
 * any row has. If `key` is not NULL, a column with that heading precedes the others and has `value`
 * in each row. Prints the headings before the first row and sets *has_headings, unless it is set
 * already. */
void print_csv(const struct listing *listing, const char *key, const char *value,
               bool *has_headings);

/* Returns `value`. If it is NULL, memory is exhausted, so the process ends with a message. */
json_t *json_made(json_t *value);

/* Makes a string. A text that is not UTF-8 is read as Latin-1. */
json_t *json_text(const char *text);
/* Makes an array with an object for each row. The members of the object are the facts of the row.
 * Bytes, and numbers above INT64_MAX, become hexadecimal strings. */
json_t *json_listing(const struct listing *listing);
/* Makes the object for one row. */
json_t *json_row(const struct listing *listing, const struct row *row);
/* Writes a value and a newline to stdout, and releases the value. */
void print_json(json_t *value);

#endif
