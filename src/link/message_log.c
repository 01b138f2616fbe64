/* The diagnostics of a link; see message_log.h. */
#include "link/message_log.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/json_escape.h"
#include "base/latin1.h"
#include "base/utf8.h"

struct logged_message {
    struct logged_message *next;
    enum severity severity;
    const char *code; /* points into the table of messages, so it is not copied */
    const char *text, *input, *symbol, *section;
};

/* --------------------------------------------------------------------------------------------- */
/* Keeping                                                                                       */

/* Copies a text to the arena. Sets *copy to NULL if `text` is NULL. Returns false if memory runs
 * out. */
static bool copy_text(struct arena *arena, const char **copy, const char *text)
{
    *copy = NULL;
    if (!text)
        return true;
    size_t size = strlen(text) + 1;
    void *memory = arena_try_alloc(arena, size);
    if (memory)
        *copy = memcpy(memory, text, size);
    return memory;
}

void message_log_add(struct message_log *log, struct arena *arena,
                     const struct diagnostic *diagnostic)
{
    struct logged_message *message = arena_try_alloc(arena, sizeof *message);
    if (!message)
        return;
    *message = (struct logged_message){.severity = diagnostic->severity, .code = diagnostic->code};
    if (!copy_text(arena, &message->text, diagnostic->text) ||
        !copy_text(arena, &message->input, diagnostic->input) ||
        !copy_text(arena, &message->symbol, diagnostic->symbol) ||
        !copy_text(arena, &message->section, diagnostic->section))
        return;
    if (log->last)
        log->last->next = message;
    else
        log->first = message;
    log->last = message;
}

/* --------------------------------------------------------------------------------------------- */
/* Writing                                                                                       */

struct log_text {
    struct arena *arena;
    GROWING_ARRAY(char, bytes);
};

static void put_bytes(struct log_text *log, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *ARENA_APPEND(log->arena, log, bytes) = bytes[i];
}

static void put(struct log_text *log, const char *text)
{
    put_bytes(log, text, strlen(text));
}

/* nvlink's words for severities. The command prints the same words. */
static const char WORDS[][10] = {
    [SEVERITY_NOTE] = "note    :",    [SEVERITY_INFO] = "info    :",
    [SEVERITY_WARNING] = "warning :", [SEVERITY_ERROR] = "error   :",
    [SEVERITY_FATAL] = "fatal   :",
};

static void put_as_text(struct log_text *log, const struct logged_message *message)
{
    put(log, WORDS[message->severity]);
    put(log, " ");
    put(log, message->text);
    put(log, "\n");
}

static void put_string(struct log_text *log, const char *text)
{
    char escape[JSON_LONGEST_ESCAPE];
    const char *next = utf8_is_valid(text) ? text : latin1_to_utf8(log->arena, text);
    put(log, "\"");
    while (*next) {
        size_t size = json_escape(escape, next);
        if (*escape)
            put(log, escape);
        else
            put_bytes(log, next, size);
        next += size;
    }
    put(log, "\"");
}

static void put_member(struct log_text *log, const char *key, const char *text)
{
    put(log, "\"");
    put(log, key);
    put(log, "\":");
    if (text)
        put_string(log, text);
    else
        put(log, "null");
    put(log, ",");
}

static void put_members(struct log_text *log, const struct logged_message *message)
{
    const char *word = WORDS[message->severity];
    put(log, "{\"severity\":\"");
    put_bytes(log, word, strcspn(word, " "));
    put(log, "\",");
    put_member(log, "code", message->code);
    put_member(log, "text", message->text);
    put_member(log, "input", message->input);
    put_member(log, "symbol", message->symbol);
    put_member(log, "section", message->section);
    put(log, "\"notes\":[");
}

/* Writes a message as a JSON object, which contains the notes that follow the message. Returns the
 * next message. A note at the start of the log has its own object. */
static const struct logged_message *put_as_json(struct log_text *log,
                                                const struct logged_message *message)
{
    put_members(log, message);
    const struct logged_message *note = message->next;
    for (; note && note->severity == SEVERITY_NOTE; note = note->next) {
        put(log, note == message->next ? "" : ",");
        put_members(log, note);
        put(log, "]}");
    }
    put(log, "]}\n");
    return note;
}

const char *message_log_write(const struct message_log *log, struct arena *arena,
                              enum warpld_log_form form, size_t *size)
{
    struct log_text text = {.arena = arena};
    const struct logged_message *message = log->first;
    while (message && form == WARPLD_LOG_JSON)
        message = put_as_json(&text, message);
    for (; message; message = message->next)
        put_as_text(&text, message);
    *size = text.bytes_count;
    *ARENA_APPEND(arena, &text, bytes) = 0;
    return text.bytes;
}
