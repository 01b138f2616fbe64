/* The last message, until its notes are complete. */
#ifndef WARPLD_CLI_REPORT_PENDING_MESSAGE_H
#define WARPLD_CLI_REPORT_PENDING_MESSAGE_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/report/message.h"

struct pending_message {
    struct arena arena; /* holds the texts of the message until pending_message_clear */
    struct message message;
    bool is_used;
    bool is_folding; /* the last message was folded into this one, so its notes are dropped */
};

/* Copies a message. Requires: no message is pending. `out_of_memory` is called when memory runs
 * out, and must not return. */
void pending_message_start(struct pending_message *pending, const struct message *message,
                           void (*out_of_memory)(void *owner), void *owner);

/* Copies a note of the pending message. */
void pending_message_add_note(struct pending_message *pending, const struct message *note);

/* Counts the message instead of keeping it, if it differs from the pending message only in the
 * input that it is about. Returns whether it was counted. Both must be warnings without a symbol,
 * such as those about inputs without code for the target. */
bool pending_message_fold(struct pending_message *pending, const struct message *message);

void pending_message_clear(struct pending_message *pending);

#endif
