/* Lines of --trace; see trace.h. */
#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal_text.h"

static const struct trace_facts {
    const char *text;
    enum trace_category category;
} FACTS[] = {
#define TRACE_LINE(name, category, text) {text, TRACE_CATEGORY_##category},
#include "base/trace.def"
};

static const char *const WORDS[] = {
#define TRACE_CATEGORY(name, word, help) word,
#include "base/trace.def"
};

const char *trace_category_word(enum trace_category category)
{
    return WORDS[category];
}

unsigned trace_categories_of(const char *word)
{
    if (!strcmp(word, "all"))
        return (1u << TRACE_CATEGORY_COUNT) - 1;
    for (unsigned i = 0; i < TRACE_CATEGORY_COUNT; i++)
        if (!strcmp(word, WORDS[i]))
            return 1u << i;
    return 0;
}

/* Uses the heap for long texts: names can be thousands of characters long. */
void trace_line(const struct trace *trace, enum trace_name name, ...)
{
    const struct trace_facts *facts = &FACTS[name];
    if (!trace_has(trace, facts->category))
        return;
    char buffer[512] = "";
    va_list arguments, again;
    va_start(arguments, name);
    va_copy(again, arguments);
    int size = vsnprintf(buffer, sizeof buffer, facts->text, arguments);
    char *large = size >= (int)sizeof buffer ? malloc((size_t)size + 1) : NULL;
    if (large)
        vsnprintf(large, (size_t)size + 1, facts->text, again);
    va_end(again);
    va_end(arguments);
    char *escaped;
    const char *text = terminal_text_make_safe(large ? large : buffer, &escaped);
    trace->sink(trace->context, facts->category, text);
    free(escaped);
    free(large);
}
