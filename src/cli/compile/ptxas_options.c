/* Options for ptxas; see ptxas_options.h.
 *
 * The text in inputs is the command line that nvcc gave ptxas, such as "-O1 --compile-only
 * -maxrregcount=24 --generate-line-info "; nvlink 13.0.88 splits it, and the values of -Xptxas, at
 * blanks and tabs and knows no quotes. */
#include "cli/compile/ptxas_options.h"

#include <string.h>
#include <unistd.h>

#include "cli/compile/process.h"

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
#include "cli/compile/ptxas_options.def"
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

static bool is_named(const struct ptxas_option *option, const char *short_name)
{
    return option && !strcmp(option->short_name, short_name);
}

/* A file of options is looked for here, not where ptxas runs. The compiler does not record its
 * name, and says of one that is not there what the user called it. */
static const char *options_file(struct arena *arena, const char *name)
{
    return access(name, R_OK) ? name : process_file_name(arena, name);
}

static const char *word_of_file(struct arena *arena, const char *word)
{
    size_t size = strcspn(word, "=");
    return word[size] ? arena_format(arena, "%.*s=%s", (int)size, word,
                                     options_file(arena, word + size + 1))
                      : word;
}

/* The file that is written is the link's business; nvlink ignores the option, too. */
static void add_words(struct argument_list *list, struct arena *arena,
                      const struct option_value *given)
{
    const struct ptxas_option *awaiting = NULL; /* its value is the next word */
    for (size_t i = 0; i < given->items_count; i++)
        for (const char *text = given->items[i], *word; (word = next_word(arena, &text));) {
            const struct ptxas_option *option = awaiting ? awaiting : find_option(word);
            if (is_named(option, "optf"))
                word = awaiting ? options_file(arena, word) : word_of_file(arena, word);
            if (!is_named(option, "o"))
                *ARENA_APPEND(arena, list, words) = word;
            awaiting = !awaiting && option && takes_next_word(option, word) ? option : NULL;
        }
}

/* The order is nvlink's; it shows where the same is asked twice. A limit that is not positive and
 * one thread, the default, are not handed on. */
void ptxas_options_add_chosen(struct argument_list *list, struct arena *arena,
                              const struct command_line *line)
{
    const struct option_value *options = line->options;
    add_words(list, arena, &options[OPTION_PTXAS_OPTIONS]);
    if (options[OPTION_MAX_REGISTERS].number > 0)
        *ARENA_APPEND(arena, list, words) =
            arena_format(arena, "-maxrregcount=%ld", options[OPTION_MAX_REGISTERS].number);
    if (options[OPTION_STACK_PROTECTOR].given)
        *ARENA_APPEND(arena, list, words) =
            arena_format(arena, "-device-stack-protector=%s",
                         options[OPTION_STACK_PROTECTOR].number ? "true" : "false");
    if (options[OPTION_SPLIT_COMPILE].given && options[OPTION_SPLIT_COMPILE].number != 1)
        *ARENA_APPEND(arena, list, words) =
            arena_format(arena, "-split-compile=%ld", options[OPTION_SPLIT_COMPILE].number);
}

/* nvlink 13.0.88 has room for three characters. */
static bool is_too_long(long number)
{
    return number > 999 || number < -99;
}

const char *ptxas_options_problem(const struct command_line *line)
{
    const struct option_value *options = line->options;
    if (is_too_long(options[OPTION_MAX_REGISTERS].number) &&
        options[OPTION_MAX_REGISTERS].number > 0)
        return "Invalid argument for option '-maxrregcount'";
    if (is_too_long(options[OPTION_SPLIT_COMPILE].number))
        return "Invalid argument for option '-split-compile'";
    return NULL;
}
