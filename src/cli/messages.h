/* Messages on standard error, in nvlink's form: "nvlink error   : text". */
#ifndef WARPLD_CLI_MESSAGES_H
#define WARPLD_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

struct arena;
struct readable_names;

struct messages {
    struct arena *arena; /* for texts that are put together */
    struct readable_names *names;
    const char *tool;         /* what every line begins with */
    const char *architecture; /* named at the end of every line, or NULL */
    bool no_notes, no_infos, no_warnings;
    bool follows_hidden; /* the last message was hidden, and so are the notes below it */
    bool inputs_failed;  /* what is a warning about an input counted as an error */
    bool coloured;       /* the word of the severity, for a reader at a terminal */
};

/* Colours are for terminals, unless NO_COLOR is set (https://no-color.org). */
void messages_choose_colour(struct messages *messages);

void messages_print(struct messages *messages, enum warpld_severity severity, const char *text);

/* Prints what ptxas said. A line that begins with a blank belongs to the message above it. */
void messages_pass_on(const struct messages *messages, const char *text, size_t size);

/* The library's callback; the context is a struct messages. */
void messages_diagnostic(void *context, const struct warpld_diagnostic *diagnostic);

#endif
