/* Remembers the notes that were printed, so that a note that applies to many symbols is printed
 * once. */
#ifndef WARPLD_CLI_REPORT_SAID_NOTES_H
#define WARPLD_CLI_REPORT_SAID_NOTES_H

#include <stdbool.h>

#include "base/arena.h"

struct name_table;

struct said_notes {
    struct name_table *texts; /* NULL until the first note */
    bool applies;             /* to the notes of the current message */
    bool was_said;            /* the last note was one that had been printed before */
};

/* Begins the notes of a message with this code. Notes below messages about undefined symbols and
 * several definitions are printed once. Call chains and memory limits are lists, in which no note
 * may be missing. */
void said_notes_start(struct said_notes *said, const char *code);

/* Whether the note repeats an earlier one. Notes about references never do. A note "... and 2 more"
 * counts as repeated if the note before it is. The arena keeps the text. */
bool said_notes_repeats(struct said_notes *said, struct arena *arena, const char *code,
                        const char *text);

#endif
