/* Options for ptxas out of inputs; see ptxas_options.h.
 *
 * The text is the command line that nvcc gave ptxas, such as "-O1 --compile-only  -maxrregcount=24
 * --generate-line-info "; nvlink 13.0.88 splits it at blanks and tabs and knows no quotes. */
#include "cli/ptxas_options.h"

#include <string.h>

enum argument { FLAG, VALUE, GLUED };
enum treatment { PASSED, SETTLED, REFUSED };

static const struct ptxas_option {
    const char *long_name;
    const char *short_name;
    enum argument argument;
    enum treatment treatment;
} OPTIONS[] = {
#define PTXAS_OPTION(long_name, short_name, argument, treatment)                                   \
    {long_name, short_name, argument, treatment},
#include "cli/ptxas_options.def"
#undef PTXAS_OPTION
};

static const char BLANKS[] = " \t";

static const char *next_word(struct arena *arena, const char **text)
{
    *text += strspn(*text, BLANKS);
    size_t size = strcspn(*text, BLANKS);
    const char *word = arena_copy_string(arena, *text, size);
    *text += size;
    return size ? word : NULL;
}

/* The word has two dashes and the long name, or one and the short name. */
static bool is_option(const struct ptxas_option *option, const char *word, bool is_long)
{
    const char *known = is_long ? option->long_name : option->short_name;
    const char *name = word + (is_long ? 2 : 1);
    size_t size = strlen(known);
    if (strncmp(name, known, size) != 0)
        return false;
    return !name[size] || (name[size] == '=' && option->argument != FLAG) ||
           (option->argument == GLUED && !is_long);
}

static const struct ptxas_option *find_option(const char *word)
{
    bool is_long = !strncmp(word, "--", 2);
    for (size_t i = 0; *word == '-' && i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (is_option(&OPTIONS[i], word, is_long))
            return &OPTIONS[i];
    return NULL;
}

/* A value that stands in the word needs no other one. */
static bool takes_next_word(const struct ptxas_option *option, const char *word)
{
    bool is_long = !strncmp(word, "--", 2);
    return option->argument != FLAG && !strchr(word, '=') && (option->argument != GLUED || is_long);
}

void ptxas_options_add(struct argument_list *list, struct arena *arena, const char *text,
                       void (*refuse)(void *context, const char *word), void *context)
{
    for (const char *word; (word = next_word(arena, &text));) {
        const struct ptxas_option *option = find_option(word);
        const char *value =
            option && takes_next_word(option, word) ? next_word(arena, &text) : NULL;
        if (!option || option->treatment == REFUSED)
            refuse(context, word);
        if (!option || option->treatment != PASSED)
            continue;
        *ARENA_APPEND(arena, list, words) = word;
        if (value)
            *ARENA_APPEND(arena, list, words) = value;
    }
}
