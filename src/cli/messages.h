/* Messages on standard error, in nvlink's form: "nvlink error   : text". */
#ifndef WARPLD_CLI_MESSAGES_H
#define WARPLD_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

struct arena;
struct readable_names;

struct messages {
    struct arena *arena; /* for formatted texts */
    struct readable_names *names;
    const char *tool;         /* the start of every line */
    const char *architecture; /* added at the end of every line */
    bool no_notes, no_infos, no_warnings;
    bool follows_hidden; /* the last message was hidden, so its notes are hidden too */
    bool inputs_failed;  /* a warning about an input was reported as an error */
    bool coloured;       /* the severity is coloured, for a terminal */
};

/* Enables colours on a terminal, unless NO_COLOR is set (https://no-color.org). */
void messages_choose_colour(struct messages *messages);

void messages_print(struct messages *messages, enum warpld_severity severity, const char *text);

/* Prints the messages of ptxas. A line that starts with a blank continues the message above it. */
void messages_pass_on(const struct messages *messages, const char *text, size_t size);

/* The library's callback; the context is a struct messages. */
void messages_diagnostic(void *context, const struct warpld_diagnostic *diagnostic);

#endif
