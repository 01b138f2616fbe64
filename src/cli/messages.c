/* Messages on standard error; see messages.h. */
#include "cli/messages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/whole_line.h"
#include "readable_name/readable_name.h"

static const struct severity_look {
    const char *word;
    const char *colour; /* an escape sequence for terminals */
} LOOKS[] = {
    [WARPLD_NOTE] = {"note", "\033[36m"},         [WARPLD_INFO] = {"info", "\033[34m"},
    [WARPLD_WARNING] = {"warning", "\033[1;35m"}, [WARPLD_ERROR] = {"error", "\033[1;31m"},
    [WARPLD_FATAL] = {"fatal", "\033[1;31m"},
};

static const char PLAIN[] = "\033[0m";

void messages_choose_colour(struct messages *messages)
{
    const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool is_able = terminal && strcmp(terminal, "dumb") != 0;
    messages->coloured = isatty(STDERR_FILENO) && is_able && !(unwanted && *unwanted);
}

static void end_message(const struct messages *messages, struct whole_line *line)
{
    if (messages->architecture) {
        whole_line_add(line, " (target: ");
        whole_line_add(line, messages->architecture);
        whole_line_add(line, ")");
    }
    whole_line_write(line);
}

/* The severity is padded to eight columns. */
void messages_print(struct messages *messages, enum warpld_severity severity, const char *text)
{
    static const char COLUMNS[] = "        ";
    const struct severity_look *look = &LOOKS[severity];
    struct whole_line line = {.count = 0};
    whole_line_add(&line, messages->tool);
    whole_line_add(&line, " ");
    whole_line_add(&line, messages->coloured ? look->colour : "");
    whole_line_add(&line, look->word);
    whole_line_add(&line, messages->coloured ? PLAIN : "");
    whole_line_add(&line, COLUMNS + strlen(look->word));
    whole_line_add(&line, ": ");
    whole_line_add(&line, text);
    end_message(messages, &line);
}

/* The end of the message that starts at the text, before its last newline. */
static const char *message_end(const char *text, const char *end)
{
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    while (line_end && line_end + 1 < end && line_end[1] == ' ')
        line_end = memchr(line_end + 1, '\n', (size_t)(end - line_end - 1));
    return line_end ? line_end : end;
}

void messages_pass_on(const struct messages *messages, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        struct whole_line line = {.count = 0};
        const char *next = message_end(text, end);
        whole_line_add_bytes(&line, text, (size_t)(next - text));
        end_message(messages, &line);
        text = next < end ? next + 1 : end;
    }
}

static bool is_hidden(const struct messages *messages, const struct warpld_diagnostic *diagnostic)
{
    switch (diagnostic->severity) {
    case WARPLD_NOTE:
        return messages->no_notes || messages->follows_hidden;
    case WARPLD_INFO:
        return messages->no_infos && strncmp(diagnostic->code, "report-", 7) != 0;
    case WARPLD_WARNING:
        return messages->no_warnings;
    default:
        return false;
    }
}

static bool is_about_input(const char *code)
{
    return !strcmp(code, "no-image") || !strcmp(code, "library-incompatible");
}

/* In this one message nvlink demangles a name as in call graphs, whatever the options for those
 * (observed with 10 names in either order of the objects, and with -r). */
static const char *shown_text(const struct messages *messages,
                              const struct warpld_diagnostic *diagnostic)
{
    const char *text = diagnostic->text, *name = diagnostic->symbol;
    bool is_readable = name && !strcmp(diagnostic->code, "entry-mismatch");
    const char *at = is_readable ? strstr(text, name) : NULL;
    return at ? arena_format(messages->arena, "%.*s%s%s", (int)(at - text), text,
                             readable_name(messages->names, name, true), at + strlen(name))
              : text;
}

void messages_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct messages *messages = context;
    bool hidden = is_hidden(messages, diagnostic);
    if (diagnostic->severity == WARPLD_ERROR && is_about_input(diagnostic->code))
        messages->inputs_failed = true;
    if (diagnostic->severity != WARPLD_NOTE)
        messages->follows_hidden = hidden;
    if (!hidden)
        messages_print(messages, diagnostic->severity, shown_text(messages, diagnostic));
}
