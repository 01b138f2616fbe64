/* Stores the messages of one link while other links run at the same time. The messages are printed
 * later, so that those of different links are not mixed. */
#ifndef WARPLD_CLI_DEVICE_LINK_TARGET_MESSAGES_H
#define WARPLD_CLI_DEVICE_LINK_TARGET_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

struct target_message {
    /* true: a compiler sent the message, which has a ptx_kind; false: the library sent it */
    bool is_of_compiler;
    enum ptx_message_kind ptx_kind;
    size_t text_size;
    struct warpld_diagnostic diagnostic;
};

struct target_messages {
    struct arena *arena; /* the arena of the link */
    GROWING_ARRAY(struct target_message, list);
};

/* Callbacks for the library and for the compiler. They append a message to the context, a struct
 * target_messages. */
void target_messages_take(void *context, const struct warpld_diagnostic *diagnostic);
void target_messages_take_ptx(void *context, enum ptx_message_kind kind, const char *text,
                              size_t size);

/* The functions that print messages of the library (`diagnostic`) and of the compiler (`ptx`), and
 * their context. */
struct message_printer {
    void *context;
    warpld_diagnostic_callback *diagnostic;
    void (*ptx)(void *context, enum ptx_message_kind kind, const char *text, size_t size);
};

/* Prints the stored messages in the order in which they were received. */
void target_messages_print(const struct target_messages *taken,
                           const struct message_printer *printer);

#endif
