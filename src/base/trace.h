/* Trace lines, which report what the passes do; texts and categories are rows of trace.def.
 *
 * In a link that is not traced, each TRACE costs one test. */
#ifndef WARPLD_BASE_TRACE_H
#define WARPLD_BASE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

enum trace_category {
#define TRACE_CATEGORY(name, word, help) TRACE_CATEGORY_##name,
#include "base/trace.def"
    TRACE_CATEGORY_COUNT,
};

enum trace_name {
#define TRACE_LINE(name, category, text) TRACE_##name,
#include "base/trace.def"
};

/* The text is valid during the call only. */
typedef void trace_sink(void *context, enum trace_category category, const char *text);

struct trace {
    unsigned categories; /* bits 1 << enum trace_category; 0: nothing is reported */
    trace_sink *sink;
    void *context;
};

/* Reports a line; the last arguments are those of the printf format in the line's row of trace.def.
 * Control characters in the text are shown as escapes. */
__attribute__((cold)) void trace_line(const struct trace *trace, enum trace_name name, ...);

static inline bool trace_has(const struct trace *trace, enum trace_category category)
{
    return trace->categories >> category & 1;
}

/* trace_category_word returns the word by which callers name a category. trace_categories_of
 * returns the bit of the category with that word, all bits for "all", and 0 for an unknown word. */
const char *trace_category_word(enum trace_category category);
unsigned trace_categories_of(const char *word);

/* TRACE(trace, TRACE_NAME, arguments of the format ...) costs one test if the link is not
 * traced. */
#define TRACE(trace, ...)                                                                          \
    do {                                                                                           \
        if ((trace)->categories)                                                                   \
            trace_line((trace), __VA_ARGS__);                                                      \
    } while (0)

#endif
