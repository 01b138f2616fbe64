/* Messages of the linker.
 *
 * A pass reports a message with its name and its arguments; texts, severities and stable codes are
 * rows of diagnostics.def. Errors are counted. A fatal message does not end the link at once: the
 * pass returns as usual, and link_run_passes then runs no further pass. */
#ifndef WARPLD_BASE_DIAGNOSTIC_H
#define WARPLD_BASE_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A note explains the message that it directly follows. */
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

/* A message as the sink receives it; the pointers are valid during the call only. */
struct diagnostic {
    enum severity severity;
    const char *code;
    const char *text;
    const char *input;   /* or NULL */
    const char *symbol;  /* or NULL */
    const char *section; /* named in the text, or NULL */
};

typedef void diagnostic_sink(void *context, const struct diagnostic *diagnostic);

struct diagnostics {
    diagnostic_sink *sink; /* may be NULL */
    void *context;
    bool warnings_are_errors;
    /* Hide INPUT_FAILED and MERGE_FAILED after an error: they only say that the error ends the
     * link. */
    bool hides_endings;
    uint32_t errors; /* reported so far, including warnings that count as errors */
    uint32_t fatals;
    uint64_t text_size[SEVERITY_COUNT]; /* bytes of text reported so far, by severity */
    /* For each slot (index of a mangled name in its message): the hash of the last name in this
     * slot. */
    uint64_t explained[3];
    /* The text of the message being shown, if it is too long for the buffer on the stack, or has
     * escapes; else NULL. It is a member so that it can still be freed if the sink jumps. */
    char *long_text;
};

/* Reports a message about an input and a symbol; either may be NULL. The other arguments are those
 * of the printf format in the message's row of diagnostics.def. Control characters in the text are
 * shown as escapes. A warning or an error is followed by notes with the readable forms of the
 * mangled names in its text.
 *
 * A small file can have a long name and thousands of faults. So after 64 MiB of text of one
 * severity, further messages of that severity are counted but not shown. Long names that a message
 * does not show count in part. The limit is per severity, so that no number of warnings hides an
 * error. */
__attribute__((cold)) void diagnostic_report(struct diagnostics *diagnostics,
                                             enum diagnostic_name name, const char *input,
                                             const char *symbol, ...);

/* Frees what remained allocated if a sink jumped. */
void diagnostics_destroy(struct diagnostics *diagnostics);

/* Returns true if a message reported so far makes the link fail. */
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
