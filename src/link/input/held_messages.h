/* Holds messages until all earlier PTX is compiled.
 *
 * nvlink compiles each PTX text when it reads the text. The compiler's messages therefore precede
 * those about later inputs, and if a text cannot be compiled, nvlink reports nothing about later
 * inputs. warpld compiles all PTX together, after the last input. It holds messages so that it can
 * show them in nvlink's order. */
#ifndef WARPLD_LINK_INPUT_HELD_MESSAGES_H
#define WARPLD_LINK_INPUT_HELD_MESSAGES_H

#include "base/arena.h"
#include "base/diagnostic.h"

struct warpld_link;

struct held_message {
    struct diagnostic message;
    size_t texts_before; /* number of PTX texts among the inputs before the message */
};

struct held_messages {
    diagnostic_sink *sink; /* the link's own sink; NULL if messages are not held */
    void *context;
    size_t texts_before; /* number of PTX texts among the inputs so far */
    GROWING_ARRAY(struct held_message, messages);
    size_t shown;
};

/* Starts to hold messages. Only messages that follow a PTX text are held; others are shown
 * immediately. */
void hold_messages(struct warpld_link *link);

/* Shows the held messages whose number of preceding PTX texts is at most `texts_before`. */
void show_held_messages(struct warpld_link *link, size_t texts_before);

/* show_all_held_messages shows the remaining messages; drop_held_messages discards them. Later
 * messages are shown immediately. */
void show_all_held_messages(struct warpld_link *link);
void drop_held_messages(struct warpld_link *link);

#endif
