/* Messages on standard error; see messages.h. */
#include "cli/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The word is padded to eight columns. */
void messages_print(struct messages *messages, enum warpld_severity severity, const char *text)
{
    enum { COLUMNS = 8 };
    const struct severity_look *look = &LOOKS[severity];
    int padding = COLUMNS - (int)strlen(look->word);
    fprintf(stderr, "%s %s%s%s%*s: %s", messages->tool, messages->coloured ? look->colour : "",
            look->word, messages->coloured ? PLAIN : "", padding, "", text);
    if (messages->architecture)
        fprintf(stderr, " (target: %s)", messages->architecture);
    putc('\n', stderr);
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

void messages_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct messages *messages = context;
    bool hidden = is_hidden(messages, diagnostic);
    if (diagnostic->severity == WARPLD_ERROR && is_about_input(diagnostic->code))
        messages->inputs_failed = true;
    if (diagnostic->severity != WARPLD_NOTE)
        messages->follows_hidden = hidden;
    if (!hidden)
        messages_print(messages, diagnostic->severity, diagnostic->text);
}
