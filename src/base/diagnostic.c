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

static const uint64_t MOST_TEXT = UINT64_C(64) << 20;

/* The first message that is left out has a note in its place. */
static void show(struct diagnostics *diagnostics, const struct diagnostic *diagnostic)
{
    const struct diagnostic_facts *facts = &FACTS[DIAGNOSTIC_TOO_MANY_MESSAGES];
    struct diagnostic last = {facts->severity, facts->code, facts->text, NULL, NULL};
    diagnostics->text_size += strlen(diagnostic->text);
    bool fits = diagnostics->text_size <= MOST_TEXT;
    diagnostics->sink(diagnostics->context, fits ? diagnostic : &last);
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
    if (!diagnostics->sink || diagnostics->text_size > MOST_TEXT)
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
    show(diagnostics, &diagnostic);
    free(large);
}
