/* The one place where messages are made.
 *
 * A pass reports with the message's name and its arguments; texts, severities and stable codes are
 * rows of diagnostics.def. Errors are counted; a fatal message does not unwind by itself: passes
 * return, and link_run stops at the next checkpoint. */
#ifndef WARPLD_BASE_DIAGNOSTIC_H
#define WARPLD_BASE_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A note explains the message before it and follows directly below it. */
enum severity {
    SEVERITY_NOTE,
    SEVERITY_INFO,
    SEVERITY_WARNING,
    SEVERITY_ERROR,
    SEVERITY_FATAL,
    SEVERITY_COUNT,
};

enum diagnostic_name {
#define DIAGNOSTIC(name, code, severity, text) DIAGNOSTIC_##name,
#include "base/diagnostics.def"
#undef DIAGNOSTIC
    DIAGNOSTIC_COUNT,
};

/* A message on its way out; the pointers live only during the call of the sink. */
struct diagnostic {
    enum severity severity;
    const char *code;
    const char *text;
    const char *input;  /* or NULL */
    const char *symbol; /* or NULL */
};

typedef void diagnostic_sink(void *context, const struct diagnostic *diagnostic);

struct diagnostics {
    diagnostic_sink *sink; /* may be NULL */
    void *context;
    bool warnings_are_errors;
    bool hides_endings; /* messages that only say that an earlier one ends the link */
    uint32_t errors; /* reported so far, warnings that count as errors included */
    uint32_t fatals;
    uint64_t text_size[SEVERITY_COUNT]; /* of all messages so far */
    uint64_t explained[3];              /* hashes of the names last shown in readable form */
    char *long_text; /* of the message being shown, for a sink that jumps; NULL */
};

/* input and symbol say what the message is about (either may be NULL); the rest are the arguments
 * of the row's text. Control characters in them are shown as '?'. After 64 MB of text of one
 * severity the rest is counted, but no longer shown: a small file can hold a long name and
 * thousands of faults. Whatever number of warnings there is, an error is seen. Below a warning or
 * an error come notes with the readable form of the mangled names that it quotes. */
__attribute__((cold)) void diagnostic_report(struct diagnostics *diagnostics,
                                             enum diagnostic_name name, const char *input,
                                             const char *symbol, ...);

/* What a sink that jumped out has left. */
void diagnostics_destroy(struct diagnostics *diagnostics);

/* They become '?': a name from a file must not be able to look like a line of its own. */
void diagnostic_hide_control_characters(char *text);

/* True when anything reported so far makes the link fail. */
static inline bool diagnostics_failed(const struct diagnostics *diagnostics)
{
    return diagnostics->errors || diagnostics->fatals;
}

/* The row of a message, for tests and documentation. */
struct diagnostic_facts {
    const char *code;
    const char *text;
    enum severity severity;
};
const struct diagnostic_facts *diagnostic_facts(enum diagnostic_name name);

#endif
