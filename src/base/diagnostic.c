/* The one place where messages are made; see diagnostic.h. */
#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct diagnostic_facts FACTS[] = {
#define DIAGNOSTIC(name, code, severity, text) {code, text, SEVERITY_##severity},
#include "base/diagnostics.def"
#undef DIAGNOSTIC
};

const struct diagnostic_facts *diagnostic_facts(enum diagnostic_name name)
{
    return &FACTS[name];
}

static enum severity promoted(const struct diagnostics *diagnostics, enum severity severity)
{
    bool promote = severity == SEVERITY_WARNING && diagnostics->warnings_are_errors;
    return promote ? SEVERITY_ERROR : severity;
}

/* A name from a file must not be able to look like a line of its own. */
static void hide_control_characters(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

/* The first message that is left out has a note in its place. */
static bool is_shown(struct diagnostics *diagnostics, size_t size)
{
    static const uint64_t MOST_TEXT = UINT64_C(64) << 20;
    uint64_t before = diagnostics->text_size;
    diagnostics->text_size += size;
    if (before <= MOST_TEXT && diagnostics->text_size > MOST_TEXT) {
        const struct diagnostic_facts *facts = &FACTS[DIAGNOSTIC_TOO_MANY_MESSAGES];
        struct diagnostic diagnostic = {facts->severity, facts->code, facts->text, NULL, NULL};
        diagnostics->sink(diagnostics->context, &diagnostic);
    }
    return diagnostics->text_size <= MOST_TEXT;
}

/* Names in device code can be thousands of characters long, so a text that does not fit the buffer
 * is made again on the heap; when that fails its beginning has to do. */
void diagnostic_report(struct diagnostics *diagnostics, enum diagnostic_name name,
                       const char *input, const char *symbol, ...)
{
    const struct diagnostic_facts *facts = &FACTS[name];
    enum severity severity = promoted(diagnostics, facts->severity);
    diagnostics->errors += severity == SEVERITY_ERROR;
    diagnostics->fatals += severity == SEVERITY_FATAL;
    if (!diagnostics->sink)
        return;

    char buffer[512] = "";
    char *large = NULL;
    va_list arguments, again;
    va_start(arguments, symbol);
    va_copy(again, arguments);
    int size = vsnprintf(buffer, sizeof buffer, facts->text, arguments);
    if (size >= (int)sizeof buffer && (large = malloc((size_t)size + 1)))
        vsnprintf(large, (size_t)size + 1, facts->text, again);
    va_end(again);
    va_end(arguments);

    char *text = large ? large : buffer;
    hide_control_characters(text);
    struct diagnostic diagnostic = {severity, facts->code, text, input, symbol};
    if (is_shown(diagnostics, strlen(text)))
        diagnostics->sink(diagnostics->context, &diagnostic);
    free(large);
}
