/* Prints changes: a summary, a line for each of the most important ones, and a table of all. */
#ifndef WARPLD_TOOL_CHANGES_CHANGES_TEXT_H
#define WARPLD_TOOL_CHANGES_CHANGES_TEXT_H

#include <stddef.h>

#include <jansson.h>

#include "tool/changes/changes.h"

void print_changes(const struct changes *changes, size_t limit);

/* Prints the rows as comma-separated values. The first value of each row is the path of the new
 * file. */
void print_changes_csv(const struct changes *changes);

/* Adds the member "changes" to a JSON object: an array with an object for each row of the table. */
void json_changes(const struct changes *changes, json_t *object);

#endif
