/* Values that are lists: those of options, and that of the environment variable LIBRARY_PATH.
 *
 * Blanks and tabs around an item are removed, and an item that consists only of them is ignored.
 * The rules come from folder names with quotes, backslashes and blanks that were passed to nvlink
 * 13.0.88 in 90 links. nvlink records the resulting list in its tool note. */
#ifndef WARPLD_CLI_OPTIONS_LIST_VALUE_H
#define WARPLD_CLI_OPTIONS_LIST_VALUE_H

#include "base/arena.h"

struct list_value {
    GROWING_ARRAY(const char *, items);
};

/* Reads the list of an option. Commas separate the items. Double quotes protect commas and blanks
 * and are removed, but blanks and tabs at the ends of an item are removed even within quotes. A
 * backslash is kept. Within quotes, a quote that follows a backslash is kept, too. Returns NULL or
 * an error message. */
const char *list_value_read(struct list_value *list, struct arena *arena, const char *text);

/* Reads the list of LIBRARY_PATH. Colons separate the folders. Double quotes protect colons and are
 * kept. A backslash escapes the next character. Returns NULL or an error message. */
const char *folder_list_read(struct list_value *list, struct arena *arena, const char *text);

#endif
