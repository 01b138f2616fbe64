/* Messages that wait for the compilation of earlier PTX; see held_messages.h. */
#include "link/input/held_messages.h"

#include <string.h>

#include "base/arena.h"
#include "link/input/input_state.h"
#include "link/model/link_context.h"

static const char *copy_held_text(link_context *link, const char *text)
{
    return text ? arena_copy_string(&link->arena, text, strlen(text)) : NULL;
}

static void take_message(void *context, const struct diagnostic *message)
{
    link_context *link = context;
    struct held_messages *held = &link->input->held;
    if (!held->texts_before) {
        held->sink(held->context, message);
        return;
    }
    /* The texts are copied before the list grows. If memory runs out during the copying, the link
     * shows all messages of the list, so the list must not contain an incomplete message. */
    struct diagnostic copy = *message;
    copy.text = copy_held_text(link, message->text);
    copy.input = copy_held_text(link, message->input);
    copy.symbol = copy_held_text(link, message->symbol);
    copy.section = copy_held_text(link, message->section);
    *ARENA_APPEND(&link->arena, held, messages) = (struct held_message){copy, held->texts_before};
}

void hold_messages(link_context *link)
{
    link->input->held = (struct held_messages){.sink = link->diagnostics.sink,
                                               .context = link->diagnostics.context};
    link->diagnostics.sink = take_message;
    link->diagnostics.context = link;
}

void show_held_messages(link_context *link, size_t texts_before)
{
    struct held_messages *held = &link->input->held;
    while (held->shown < held->messages_count &&
           held->messages[held->shown].texts_before <= texts_before)
        held->sink(held->context, &held->messages[held->shown++].message);
}

void drop_held_messages(link_context *link)
{
    if (!link->input->held.sink)
        return;
    link->diagnostics.sink = link->input->held.sink;
    link->diagnostics.context = link->input->held.context;
    link->input->held = (struct held_messages){.sink = NULL};
}

void show_all_held_messages(link_context *link)
{
    show_held_messages(link, SIZE_MAX);
    drop_held_messages(link);
}
