/* The diagnostics of a link, kept for warpld_get_log. */
#ifndef WARPLD_LINK_MESSAGE_LOG_H
#define WARPLD_LINK_MESSAGE_LOG_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "warpld.h"

struct logged_message;

struct message_log {
    struct logged_message *first, *last;
};

/* Keeps a copy of a message. If there is no memory for the copy, the message is dropped. Even the
 * message that memory ran out can be dropped. */
void message_log_add(struct message_log *log, struct arena *arena,
                     const struct diagnostic *diagnostic);

/* Returns all messages as one text in the arena, which ends with a NUL. Sets *size to its length
 * without the NUL. */
const char *message_log_write(const struct message_log *log, struct arena *arena,
                              enum warpld_log_form form, size_t *size);

#endif
