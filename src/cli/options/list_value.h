/* Values that are lists: of options, and of the variable LIBRARY_PATH.
 *
 * Blanks and tabs around an item are no part of it, and an item without anything else is none. How
 * the two differ was found by naming folders with such characters to nvlink 13.0.88, which records
 * what it made of them in its tool note (90 links). */
#ifndef WARPLD_CLI_OPTIONS_LIST_VALUE_H
#define WARPLD_CLI_OPTIONS_LIST_VALUE_H

#include "base/arena.h"

struct list_value {
    GROWING_ARRAY(const char *, items);
};

/* Items between commas. Double quotes keep commas and blanks together and are no part of the item,
 * but blanks and tabs at its ends go all the same. A backslash stays, and so does a quote behind it
 * within quotes. NULL, or what is wrong. */
const char *list_value_read(struct list_value *list, struct arena *arena, const char *text);

/* Folders between colons. Double quotes keep colons together and stay; a backslash takes the next
 * character as it is. NULL, or what is wrong. */
const char *folder_list_read(struct list_value *list, struct arena *arena, const char *text);

#endif
