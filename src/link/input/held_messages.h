/* Holds messages until all earlier PTX is compiled.
 *
 * nvlink compiles PTX as it reads it. So the compiler's messages precede those about later inputs,
 * and if a text cannot be compiled, later inputs have no messages. warpld compiles all PTX together
 * after the last input. It holds messages to show them in nvlink's order. */
#ifndef WARPLD_LINK_INPUT_HELD_MESSAGES_H
#define WARPLD_LINK_INPUT_HELD_MESSAGES_H

#include "base/arena.h"
#include "base/diagnostic.h"

struct warpld_link;

struct held_message {
    struct diagnostic message;
    size_t texts_before; /* number of PTX texts among earlier inputs */
};

struct held_messages {
    diagnostic_sink *sink; /* shows the messages later; NULL if messages are not held */
    void *context;
    size_t texts_before; /* number of PTX texts before the next message */
    GROWING_ARRAY(struct held_message, messages);
    size_t shown;
};

/* From now on holds messages that follow a PTX text, and shows others immediately. */
void hold_messages(struct warpld_link *link);

/* Shows the held messages that at most `texts_before` PTX texts precede. */
void show_held_messages(struct warpld_link *link, size_t texts_before);

/* Shows or drops the remaining messages; later ones are shown immediately. */
void show_all_held_messages(struct warpld_link *link);
void drop_held_messages(struct warpld_link *link);

#endif
