/* Remembers the notes that were printed, so that a note that applies to many symbols is printed
 * only once. */
#ifndef WARPLD_CLI_REPORT_SAID_NOTES_H
#define WARPLD_CLI_REPORT_SAID_NOTES_H

#include <stdbool.h>

#include "base/arena.h"

struct name_table;

struct said_notes {
    struct name_table *texts; /* the notes that were printed; NULL until the first note */
    bool applies;             /* repeated notes of the current message are not printed */
    bool was_said;            /* the last note was a repeated note */
};

/* Begins the notes of a message with this code. Repeated notes are left out only in messages about
 * undefined symbols and multiple definitions. The notes of other messages, such as those about call
 * chains and memory limits, are lists in which no note may be missing. */
void said_notes_start(struct said_notes *said, const char *code);

/* Whether the note repeats an earlier note and must be left out. Two kinds of notes are special:
 * notes about references are always printed, and a note "... and 2 more" is left out if the
 * preceding note is left out. The texts of notes are stored in the arena. */
bool said_notes_repeats(struct said_notes *said, struct arena *arena, const char *code,
                        const char *text);

#endif
