/* Functions that make JSON values with the library jansson. Callers need not check for failure: the
 * arena's handler is called when memory runs out. */
#ifndef WARPLD_CLI_REPORT_JSON_VALUE_H
#define WARPLD_CLI_REPORT_JSON_VALUE_H

#include <jansson.h>

#include "base/arena.h"

/* Returns the value. If it is NULL, because memory ran out, calls the arena's handler. */
json_t *json_made(struct arena *arena, json_t *value);

/* A text that is not UTF-8 is read as Latin-1, as cubintool does. NULL becomes null. */
json_t *json_text(struct arena *arena, const char *text);

void json_set(struct arena *arena, json_t *object, const char *key, json_t *value);
void json_set_text(struct arena *arena, json_t *object, const char *key, const char *text);
void json_append(struct arena *arena, json_t *list, json_t *value);

#endif
