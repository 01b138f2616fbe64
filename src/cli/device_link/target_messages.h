/* Keeps the messages of one of several concurrent links until they are printed. */
#ifndef WARPLD_CLI_DEVICE_LINK_TARGET_MESSAGES_H
#define WARPLD_CLI_DEVICE_LINK_TARGET_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

struct target_message {
    bool is_of_compiler; /* a compiler sent the text, with ptx_kind; otherwise the library did */
    enum ptx_message_kind ptx_kind;
    size_t text_size;
    struct warpld_diagnostic diagnostic;
};

struct target_messages {
    struct arena *arena; /* of the link */
    GROWING_ARRAY(struct target_message, list);
};

/* Callbacks of the library and of the compiler; the context is a struct target_messages. */
void target_messages_take(void *context, const struct warpld_diagnostic *diagnostic);
void target_messages_take_ptx(void *context, enum ptx_message_kind kind, const char *text,
                              size_t size);

/* The functions that print messages: callbacks of the library and of the compiler, and their
 * context. */
struct message_printer {
    void *context;
    warpld_diagnostic_callback *diagnostic;
    void (*ptx)(void *context, enum ptx_message_kind kind, const char *text, size_t size);
};

/* Prints the messages in the order in which they came. */
void target_messages_print(const struct target_messages *taken,
                           const struct message_printer *printer);

#endif
