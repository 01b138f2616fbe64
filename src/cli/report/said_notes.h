/* Remembers the notes that were printed, so that a note that applies to many symbols is printed
 * once. */
#ifndef WARPLD_CLI_REPORT_SAID_NOTES_H
#define WARPLD_CLI_REPORT_SAID_NOTES_H

#include <stdbool.h>

#include "base/arena.h"

struct name_table;

struct said_notes {
    struct name_table *texts; /* NULL until the first note */
    bool applies;             /* the current message is printed without repeated notes */
    bool was_said;            /* the last note repeats an earlier one */
};

/* Begins the notes of a message with this code. Equal notes of messages about undefined symbols and
 * multiple definitions are printed once. The notes of other messages, such as those about call
 * chains and memory limits, are lists in which no note may be missing. */
void said_notes_start(struct said_notes *said, const char *code);

/* Whether the note repeats an earlier one and is left out. Notes about references are never left
 * out. A note "... and 2 more" is left out if the note before it is. The arena keeps the text. */
bool said_notes_repeats(struct said_notes *said, struct arena *arena, const char *code,
                        const char *text);

#endif
