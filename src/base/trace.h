/* Lines that tell what the passes do; texts and categories are rows of trace.def.
 *
 * A link that is not traced pays one test for each place that could tell. */
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

/* The text lives only during the call. */
typedef void trace_sink(void *context, enum trace_category category, const char *text);

struct trace {
    unsigned categories; /* bits 1 << enum trace_category; 0: nothing is told */
    trace_sink *sink;
    void *context;
};

/* The rest are the arguments of the row's text; control characters in them are shown as '?'. */
__attribute__((cold)) void trace_line(const struct trace *trace, enum trace_name name, ...);

static inline bool trace_has(const struct trace *trace, enum trace_category category)
{
    return trace->categories >> category & 1;
}

/* The word by which callers name a category, and which bits a word stands for: those of all
 * categories for "all", none for an unknown one. */
const char *trace_category_word(enum trace_category category);
unsigned trace_categories_of(const char *word);

/* TRACE(trace, TRACE_NAME, arguments of the row's text ...): one test of a word when nobody
 * listens. */
#define TRACE(trace, ...)                                                                          \
    do {                                                                                           \
        if ((trace)->categories)                                                                   \
            trace_line((trace), __VA_ARGS__);                                                      \
    } while (0)

#endif
