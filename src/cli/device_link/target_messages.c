/* Keeps messages; see target_messages.h. */
#include "cli/device_link/target_messages.h"

#include <string.h>

static const char *copy(struct arena *arena, const char *text)
{
    return text ? arena_copy_string(arena, text, strlen(text)) : NULL;
}

void target_messages_take(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct target_messages *taken = context;
    struct warpld_diagnostic kept = *diagnostic;
    kept.text = copy(taken->arena, diagnostic->text);
    kept.input = copy(taken->arena, diagnostic->input);
    kept.symbol = copy(taken->arena, diagnostic->symbol);
    kept.section = copy(taken->arena, diagnostic->section);
    *ARENA_APPEND(taken->arena, taken, list) = (struct target_message){.diagnostic = kept};
}

void target_messages_take_ptx(void *context, enum ptx_message_kind kind, const char *text,
                              size_t size)
{
    struct target_messages *taken = context;
    struct warpld_diagnostic kept = {.text = arena_copy_string(taken->arena, text, size)};
    *ARENA_APPEND(taken->arena, taken, list) = (struct target_message){
        .is_of_compiler = true, .ptx_kind = kind, .text_size = size, .diagnostic = kept};
}

void target_messages_print(const struct target_messages *taken,
                           const struct message_printer *printer)
{
    for (size_t i = 0; i < taken->list_count; i++) {
        const struct target_message *message = &taken->list[i];
        if (message->is_of_compiler)
            printer->ptx(printer->context, message->ptx_kind, message->diagnostic.text,
                         message->text_size);
        else
            printer->diagnostic(printer->context, &message->diagnostic);
    }
}
