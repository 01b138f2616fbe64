/* Options by name in the public interface; documented in warpld.h. */
#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/mercury_header.h"
#include "link/handle.h"
#include "link/model/link_context.h"
#include "warpld.h"

enum option_kind {
    OPTION_IS_FLAG,
    OPTION_IS_WORDS,
    OPTION_IS_NUMBER,
    OPTION_IS_SIZE,
    OPTION_IS_TEXT,
    OPTION_IS_LIST,
    OPTION_IS_TRACE,
};

/* One row of option_names.def. The texts are arrays. If they were pointers, the dynamic loader
 * would have to relocate them whenever a program starts. */
struct named_option {
    char name[32];
    char words[16];
    enum option_kind kind;
    uint16_t field; /* offset in struct warpld_options */
    uint16_t count; /* for a list: offset of the field with its length */
};

#define FIELD(name)               offsetof(struct warpld_options, name)
#define FLAG(name, field)         {name, "", OPTION_IS_FLAG, FIELD(field), 0},
#define WORDS(name, field, words) {name, words, OPTION_IS_WORDS, FIELD(field), 0},
#define NUMBER(name, field)       {name, "", OPTION_IS_NUMBER, FIELD(field), 0},
#define SIZE(name, field)         {name, "", OPTION_IS_SIZE, FIELD(field), 0},
#define TEXT(name, field)         {name, "", OPTION_IS_TEXT, FIELD(field), 0},
#define LIST(name, field)         {name, "", OPTION_IS_LIST, FIELD(field), FIELD(field##_count)},
#define CATEGORIES(name, field)   {name, "", OPTION_IS_TRACE, FIELD(field), 0},
static const struct named_option OPTIONS[] = {
#include "link/option_names.def"
};
#undef FIELD
#undef FLAG
#undef WORDS
#undef NUMBER
#undef SIZE
#undef TEXT
#undef LIST
#undef CATEGORIES

const char *warpld_option_name(size_t index)
{
    return index < sizeof OPTIONS / sizeof *OPTIONS ? OPTIONS[index].name : NULL;
}

static const struct named_option *find_option(const char *name)
{
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (!strcmp(OPTIONS[i].name, name))
            return &OPTIONS[i];
    return NULL;
}

static void *option_field(struct warpld_options *options, size_t offset)
{
    return (char *)options + offset;
}

/* `words` is two words with a comma between them. Sets *start to the first or second of these
 * words, and returns the word's length. */
static size_t option_word(const char *words, bool second, const char **start)
{
    const char *comma = strchr(words, ',');
    *start = second ? comma + 1 : words;
    return second ? strlen(*start) : (size_t)(comma - words);
}

static bool set_words(bool *field, const char *words, const char *value)
{
    for (int second = 0; second < 2; second++) {
        const char *word;
        size_t size = option_word(words, second, &word);
        if (!value || strlen(value) != size || memcmp(value, word, size) != 0)
            continue;
        *field = second;
        return true;
    }
    return false;
}

static bool set_flag(bool *field, const char *value)
{
    if (value)
        return set_words(field, "false,true", value);
    *field = true;
    return true;
}

/* Accepts decimal digits only: strtoull alone would accept signs and blanks. */
static bool parse_number(const char *value, unsigned long long most, unsigned long long *number)
{
    if (!value || !*value || value[strspn(value, "0123456789")])
        return false;
    errno = 0;
    *number = strtoull(value, NULL, 10);
    return !errno && *number <= most;
}

static bool set_number(unsigned *field, const char *value)
{
    unsigned long long number;
    if (!parse_number(value, UINT32_MAX, &number))
        return false;
    *field = (unsigned)number;
    return true;
}

static bool set_size(size_t *field, const char *value)
{
    unsigned long long number;
    if (!parse_number(value, SIZE_MAX, &number))
        return false;
    *field = (size_t)number;
    return true;
}

static bool set_trace(unsigned *field, const char *value)
{
    unsigned categories = value ? trace_categories_of(value) : 0;
    *field |= categories;
    return categories;
}

/* Appends a copy of `value` to a list. Lists are short and have no spare capacity, so each call
 * copies the list. The old list remains in the arena. */
static bool append(link_context *link, const char *const **list, size_t *count, const char *value)
{
    if (!value)
        return false;
    const char **longer = ARENA_ARRAY(&link->arena, const char *, *count + 1);
    if (*count)
        memcpy(longer, *list, *count * sizeof *longer);
    longer[*count] = handle_copy_text(link, value);
    *list = longer;
    ++*count;
    return true;
}

static bool set_option_value(link_context *link, const struct named_option *option,
                             const char *value)
{
    void *field = option_field(&link->options, option->field);
    switch (option->kind) {
    case OPTION_IS_FLAG:
        return set_flag(field, value);
    case OPTION_IS_WORDS:
        return set_words(field, option->words, value);
    case OPTION_IS_NUMBER:
        return set_number(field, value);
    case OPTION_IS_SIZE:
        return set_size(field, value);
    case OPTION_IS_TEXT:
        *(const char **)field = handle_copy_text(link, value);
        return true;
    case OPTION_IS_LIST:
        return append(link, field, option_field(&link->options, option->count), value);
    case OPTION_IS_TRACE:
        return set_trace(field, value);
    }
    return false;
}

/* Describes the values of the option, for messages. */
static const char *expected(const struct named_option *option)
{
    static const char TEXTS[][40] = {
        [OPTION_IS_FLAG] = "true or false",
        [OPTION_IS_WORDS] = "one of two words",
        [OPTION_IS_NUMBER] = "a number",
        [OPTION_IS_SIZE] = "a number of bytes",
        [OPTION_IS_TEXT] = "a text",
        [OPTION_IS_LIST] = "an element of a list",
        [OPTION_IS_TRACE] = "a category of the trace, or all",
    };
    return option->kind == OPTION_IS_WORDS ? option->words : TEXTS[option->kind];
}

static enum warpld_status refuse_option(struct warpld_link *link, enum diagnostic_name message,
                                        const char *name, const char *value,
                                        const struct named_option *option)
{
    if (message == DIAGNOSTIC_OPTION_UNKNOWN)
        diagnostic_report(&link->diagnostics, message, NULL, NULL, WARPLD_VERSION, name);
    else
        diagnostic_report(&link->diagnostics, message, NULL, NULL, name, value ? value : "(null)",
                          expected(option));
    return handle_of(link)->failure = WARPLD_ERROR_ARGUMENT;
}

enum warpld_status warpld_set_option(struct warpld_link *link, const char *name, const char *value)
{
    enum warpld_status status = handle_status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!name)
        return handle_refuse_null(link, "warpld_set_option", "name");
    const struct named_option *option = find_option(name);
    if (!option)
        return refuse_option(link, DIAGNOSTIC_OPTION_UNKNOWN, name, value, NULL);
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    if (!set_option_value(link, option, value))
        return refuse_option(link, DIAGNOSTIC_OPTION_VALUE, name, value, option);
    handle_apply_options(link);
    return WARPLD_OK;
}

/* `categories` has one bit for each category. Returns the word of the category whose bit is number
 * `index` among the bits that are set, or NULL if fewer bits are set. */
static const char *category_at(unsigned categories, size_t index)
{
    for (unsigned i = 0; i < TRACE_CATEGORY_COUNT; i++)
        if (categories & 1U << i && !index--)
            return trace_category_word(i);
    return NULL;
}

static const char *format_words(link_context *link, const char *words, bool second)
{
    const char *word;
    size_t size = option_word(words, second, &word);
    return arena_copy_string(&link->arena, word, size);
}

/* Returns the value of an option that is neither a list nor the categories of the trace. */
static const char *single_value(link_context *link, const struct named_option *option)
{
    const void *field = option_field(&link->options, option->field);
    switch (option->kind) {
    case OPTION_IS_FLAG:
        return *(const bool *)field ? "true" : "false";
    case OPTION_IS_WORDS:
        return format_words(link, option->words, *(const bool *)field);
    case OPTION_IS_NUMBER:
        return arena_format(&link->arena, "%u", *(const unsigned *)field);
    case OPTION_IS_SIZE:
        return arena_format(&link->arena, "%zu", *(const size_t *)field);
    case OPTION_IS_TEXT:
    case OPTION_IS_LIST:
    case OPTION_IS_TRACE:
        break;
    }
    return *(const char *const *)field;
}

/* Sets *value to the value of the option, or to one element if it has a list of values. Returns
 * false if `index` is out of range. */
static bool find_value(link_context *link, const struct named_option *option, size_t index,
                       const char **value)
{
    const void *field = option_field(&link->options, option->field);
    if (option->kind == OPTION_IS_TRACE) {
        const char *category = category_at(*(const unsigned *)field, index);
        return category && (*value = category);
    }
    bool is_list = option->kind == OPTION_IS_LIST;
    size_t count =
        is_list ? *(const size_t *)option_field(&link->options, option->count) : (size_t)1;
    if (index >= count)
        return false;
    *value = is_list ? (*(const char *const *const *)field)[index] : single_value(link, option);
    return true;
}

enum warpld_status warpld_get_option(struct warpld_link *link, const char *name, size_t index,
                                     const char **value)
{
    const struct named_option *option = name ? find_option(name) : NULL;
    if (!link || !option || !value)
        return WARPLD_ERROR_ARGUMENT;
    if (handle_of(link)->failure == WARPLD_ERROR_MEMORY)
        return WARPLD_ERROR_MEMORY;
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    return find_value(link, option, index, value) ? WARPLD_OK : WARPLD_END;
}
