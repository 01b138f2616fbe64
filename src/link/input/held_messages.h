/* Messages that wait for the compilation of the PTX before them.
 *
 * nvlink compiles PTX where it meets it, so what the compiler says of PTX comes before a message
 * about an input behind, and after a text that cannot be compiled comes none. Here all PTX is
 * compiled at once, behind the last input, and the messages are shown when their turn comes. */
#ifndef WARPLD_LINK_INPUT_HELD_MESSAGES_H
#define WARPLD_LINK_INPUT_HELD_MESSAGES_H

#include "base/arena.h"
#include "base/diagnostic.h"

struct warpld_link;

struct held_message {
    struct diagnostic message;
    size_t place;
};

struct held_messages {
    diagnostic_sink *sink; /* where they go in the end; NULL: none is held */
    void *context;
    size_t place; /* so many texts are before what is reported now */
    GROWING_ARRAY(struct held_message, messages);
    size_t shown;
};

/* From now on messages behind a text are held; what is before all of them is shown at once. */
void hold_messages(struct warpld_link *link);

/* Shows those that have no more than so many texts before them. */
void show_held_messages(struct warpld_link *link, size_t place);

/* Shows or forgets the rest; what is reported from now on is shown at once. */
void show_all_held_messages(struct warpld_link *link);
void drop_held_messages(struct warpld_link *link);

#endif
