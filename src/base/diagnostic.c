/* Messages; see diagnostic.h. */
#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/diagnostic_length.h"
#include "base/diagnostic_section.h"
#include "base/terminal_text.h"

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

static const uint64_t MOST_TEXT = UINT64_C(64) << 20;

/* A message takes time for the names that it does not show, too: those that diagnostic_shorten
 * removes, and those that only struct diagnostic has. If a message has LARGELY_UNSHOWN times more
 * bytes than its text shows, a part of them counts as text: one byte for each UNSHOWN_BYTES. */
enum { LARGELY_UNSHOWN = 16, UNSHOWN_BYTES = 8 };

static bool is_full(const struct diagnostics *diagnostics, enum severity severity)
{
    return diagnostics->text_size[severity] > MOST_TEXT;
}

/* Passes the message to the sink. The first message over the limit is replaced by a notice. The
 * notice has the severity of the message, so that a caller that filters by severity treats both
 * alike. */
static void show(struct diagnostics *diagnostics, const struct diagnostic *diagnostic)
{
    const struct diagnostic_facts *facts = &FACTS[DIAGNOSTIC_TOO_MANY_MESSAGES];
    struct diagnostic last = {diagnostic->severity, facts->code, facts->text, NULL, NULL, NULL};
    diagnostics->text_size[diagnostic->severity] += strlen(diagnostic->text);
    diagnostics->sink(diagnostics->context,
                      is_full(diagnostics, diagnostic->severity) ? &last : diagnostic);
}

/* --------------------------------------------------------------------------------------------- */
/* Mangled names                                                                                 */

enum { LONGEST_NAME = 1024, LONGEST_READABLE = 4096, MOST_NAMES = 3 };

/* FNV-1a; a collision only suppresses a note. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Returns true if the readable form of the name was already shown. `slot` is the index of the name
 * among the mangled names of its message. Each slot remembers only the last name, which suffices
 * for a name that is repeated from message to message. */
static bool was_explained(struct diagnostics *diagnostics, const char *name, unsigned slot)
{
    uint64_t hash = hash_of(name);
    bool explained = diagnostics->explained[slot] == hash;
    diagnostics->explained[slot] = hash;
    return explained;
}

static void explain_name(struct diagnostics *diagnostics, const struct diagnostic *message,
                         const char *name, unsigned slot)
{
    const struct diagnostic_facts *facts = &FACTS[DIAGNOSTIC_READABLE_NAME];
    char readable[LONGEST_READABLE], text[LONGEST_NAME + LONGEST_READABLE + 16];
    char shown[sizeof text * TERMINAL_ESCAPE_SIZE];
    if (is_full(diagnostics, facts->severity) || was_explained(diagnostics, name, slot) ||
        !demangle_into(name, readable, sizeof readable))
        return;
    snprintf(text, sizeof text, facts->text, name, readable);
    terminal_text_escape(shown, text); /* a readable name can have a part of a character */
    struct diagnostic note = {facts->severity, facts->code, shown, message->input, name, NULL};
    show(diagnostics, &note);
}

/* Adds a note for each mangled name in the text, because a message can quote more names than its
 * `symbol`. */
static void explain_names(struct diagnostics *diagnostics, const struct diagnostic *message)
{
    static const char START[] = "'_Z";
    const char *next = message->text;
    for (unsigned slot = 0; slot < MOST_NAMES && (next = strstr(next, START)); slot++) {
        const char *start = next + 1, *end = strchr(start, '\'');
        if (!end)
            return;
        char name[LONGEST_NAME + 1];
        size_t size = (size_t)(end - start);
        next = end + 1;
        bool has_escapes = memchr(start, '\\', size) != NULL; /* no mangled name has a backslash */
        if (size >= sizeof name || has_escapes)
            continue;
        memcpy(name, start, size);
        name[size] = 0;
        explain_name(diagnostics, message, name, slot);
    }
}

/* --------------------------------------------------------------------------------------------- */

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static void free_long_text(struct diagnostics *diagnostics)
{
    free(diagnostics->long_text);
    diagnostics->long_text = NULL;
}

void diagnostics_destroy(struct diagnostics *diagnostics)
{
    free_long_text(diagnostics);
}

/* Returns the text itself, or a copy with escapes, which becomes the long text. */
static const char *escape_controls(struct diagnostics *diagnostics, char *text)
{
    char *copy;
    const char *shown = terminal_text_make_safe(text, &copy);
    if (copy) {
        free_long_text(diagnostics);
        diagnostics->long_text = copy;
    }
    return shown;
}

/* Names in device code can be thousands of characters long: a text that does not fit the buffer is
 * formatted again on the heap. If that allocation fails, the truncated text is shown. */
void diagnostic_report(struct diagnostics *diagnostics, enum diagnostic_name name,
                       const char *input, const char *symbol, ...)
{
    const struct diagnostic_facts *facts = &FACTS[name];
    enum severity severity = promoted(diagnostics, facts->severity);
    bool is_hidden = diagnostics->hides_endings && diagnostics_failed(diagnostics) &&
                     (name == DIAGNOSTIC_INPUT_FAILED || name == DIAGNOSTIC_MERGE_FAILED);
    diagnostics->errors += severity == SEVERITY_ERROR;
    diagnostics->fatals += severity == SEVERITY_FATAL;
    if (!diagnostics->sink || is_hidden || is_full(diagnostics, severity))
        return;

    /* The text of an earlier message is still there if its sink left with longjmp. */
    free_long_text(diagnostics);
    char buffer[512] = "";
    va_list arguments, again;
    va_start(arguments, symbol);
    va_copy(again, arguments);
    const char *section = diagnostic_section(facts->text, again);
    va_end(again);
    va_copy(again, arguments);
    int size = vsnprintf(buffer, sizeof buffer, facts->text, arguments);
    if (size >= (int)sizeof buffer && (diagnostics->long_text = malloc((size_t)size + 1)))
        vsnprintf(diagnostics->long_text, (size_t)size + 1, facts->text, again);
    va_end(again);
    va_end(arguments);

    char *text = diagnostics->long_text ? diagnostics->long_text : buffer;
    struct diagnostic diagnostic = {severity, facts->code, text, input, symbol, section};
    uint64_t whole = strlen(text) + length_of(input) + length_of(symbol) + length_of(section);
    /* The text is shortened before it is escaped, because the cut may split a character. */
    diagnostic_shorten(&diagnostic, text);
    if (whole / LARGELY_UNSHOWN > strlen(text))
        diagnostics->text_size[severity] += whole / UNSHOWN_BYTES;
    diagnostic.text = escape_controls(diagnostics, text);
    show(diagnostics, &diagnostic);
    if (severity >= SEVERITY_WARNING)
        explain_names(diagnostics, &diagnostic);
    free_long_text(diagnostics);
}
