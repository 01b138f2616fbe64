/* Values that are lists: those of options, and that of the variable LIBRARY_PATH.
 *
 * Blanks and tabs around an item are removed, and an item of blanks only is ignored. The
 * differences between the two kinds of lists were found by passing folders with quotes, backslashes
 * and blanks in their names to nvlink 13.0.88, which records the result in its tool note
 * (90 links). */
#ifndef WARPLD_CLI_OPTIONS_LIST_VALUE_H
#define WARPLD_CLI_OPTIONS_LIST_VALUE_H

#include "base/arena.h"

struct list_value {
    GROWING_ARRAY(const char *, items);
};

/* Reads items separated by commas. Double quotes protect commas and blanks and are removed, but
 * blanks and tabs at the ends of an item are removed anyway. A backslash is kept; within quotes, a
 * quote that follows it is kept, too. Returns NULL or an error message. */
const char *list_value_read(struct list_value *list, struct arena *arena, const char *text);

/* Reads folders separated by colons. Double quotes protect colons and are kept; a backslash escapes
 * the next character. Returns NULL or an error message. */
const char *folder_list_read(struct list_value *list, struct arena *arena, const char *text);

#endif
