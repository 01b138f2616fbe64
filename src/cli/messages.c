/* Messages on standard error; see messages.h. */
#include "cli/messages.h"

#include <stdio.h>
#include <string.h>

static const char *const SEVERITIES[] = {"note", "info", "warning", "error", "fatal"};

/* The word is padded to eight columns. */
void messages_print(struct messages *messages, enum warpld_severity severity, const char *text)
{
    fprintf(stderr, "%s %-8s: %s", messages->tool, SEVERITIES[severity], text);
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

void messages_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct messages *messages = context;
    bool hidden = is_hidden(messages, diagnostic);
    if (diagnostic->severity != WARPLD_NOTE)
        messages->follows_hidden = hidden;
    if (!hidden)
        messages_print(messages, diagnostic->severity, diagnostic->text);
}
