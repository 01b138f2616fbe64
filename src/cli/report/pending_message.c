/* Stores a message until its notes are complete; see pending_message.h. */
#include "cli/report/pending_message.h"

#include <string.h>

#include "warpld.h"

static const char *copy_text(struct arena *arena, const char *text)
{
    return text ? arena_copy_string(arena, text, strlen(text)) : NULL;
}

static struct message copy_message(struct arena *arena, const struct message *message)
{
    return (struct message){
        .severity = message->severity,
        .code = copy_text(arena, message->code),
        .text = copy_text(arena, message->text),
        .input = copy_text(arena, message->input),
        .symbol = copy_text(arena, message->symbol),
        .readable = copy_text(arena, message->readable),
        .section = copy_text(arena, message->section),
        .target = message->target,
    };
}

void pending_message_start(struct pending_message *pending, const struct message *message,
                           void (*out_of_memory)(void *owner), void *owner)
{
    arena_init(&pending->arena, out_of_memory, owner);
    pending->message = copy_message(&pending->arena, message);
    pending->is_used = true;
    pending->is_folding = false;
}

void pending_message_add_note(struct pending_message *pending, const struct message *note)
{
    if (!pending->is_folding)
        *ARENA_APPEND(&pending->arena, &pending->message, notes) =
            copy_message(&pending->arena, note);
}

static bool is_about_an_input(const struct message *message)
{
    return message->severity == WARPLD_WARNING && message->input && !message->symbol;
}

/* Whether the texts differ in the names of the inputs only. */
static bool says_the_same(const struct message *a, const struct message *b)
{
    const char *in_a = strstr(a->text, a->input), *in_b = strstr(b->text, b->input);
    return in_a && in_b && in_a - a->text == in_b - b->text &&
           !strncmp(a->text, b->text, (size_t)(in_a - a->text)) &&
           !strcmp(in_a + strlen(a->input), in_b + strlen(b->input));
}

bool pending_message_fold(struct pending_message *pending, const struct message *message)
{
    struct message *first = &pending->message;
    if (!pending->is_used || !is_about_an_input(first) || !is_about_an_input(message) ||
        strcmp(first->code, message->code) != 0 || !strcmp(first->input, message->input) ||
        !says_the_same(first, message))
        return false;
    first->folded++;
    pending->is_folding = true;
    return true;
}

void pending_message_clear(struct pending_message *pending)
{
    if (pending->is_used)
        arena_destroy(&pending->arena);
    pending->is_used = false;
}
