/* Functions that make JSON values with the library jansson. If memory runs out, they call the
 * arena's handler, so callers need not check for failure. */
#ifndef WARPLD_CLI_REPORT_JSON_VALUE_H
#define WARPLD_CLI_REPORT_JSON_VALUE_H

#include <jansson.h>

#include "base/arena.h"

/* Returns `value`, the result of a jansson function. If it is NULL, memory has run out, and the
 * arena's handler is called. */
json_t *json_made(struct arena *arena, json_t *value);

/* Returns a string. A text that is not UTF-8 is read as Latin-1, as cubintool does. If `text` is
 * NULL, returns the JSON value null. */
json_t *json_text(struct arena *arena, const char *text);

void json_set(struct arena *arena, json_t *object, const char *key, json_t *value);
void json_set_text(struct arena *arena, json_t *object, const char *key, const char *text);
void json_append(struct arena *arena, json_t *list, json_t *value);

#endif
