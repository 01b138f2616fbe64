/* The pending message: the last message, which is stored until its notes are complete. */
#ifndef WARPLD_CLI_REPORT_PENDING_MESSAGE_H
#define WARPLD_CLI_REPORT_PENDING_MESSAGE_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/report/message.h"

struct pending_message {
    struct arena arena; /* holds the texts of the message until pending_message_clear */
    struct message message;
    bool is_used;
    /* the message that followed was folded into this one, and its notes are dropped */
    bool is_folding;
};

/* Stores a copy of a message. Requires that no message is pending. `out_of_memory` is called when
 * memory runs out, and must not return. */
void pending_message_start(struct pending_message *pending, const struct message *message,
                           void (*out_of_memory)(void *owner), void *owner);

/* Adds a copy of the note to the pending message. Drops the note if it belongs to a folded
 * message. */
void pending_message_add_note(struct pending_message *pending, const struct message *note);

/* Folds the message into the pending message if both differ only in the input that they are about.
 * The message is then counted, but not stored. Returns whether it was folded. Both messages must be
 * warnings about an input and without a symbol, such as those about inputs without code for the
 * target. */
bool pending_message_fold(struct pending_message *pending, const struct message *message);

void pending_message_clear(struct pending_message *pending);

#endif
