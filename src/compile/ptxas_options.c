/* Options for ptxas; see ptxas_options.h.
 *
 * An input records the command line that nvcc gave ptxas, such as "-O1 --compile-only
 * -maxrregcount=24 --generate-line-info ". nvlink 13.0.88 splits this text, and the values of
 * -Xptxas, at blanks and tabs, and ignores quotes. */
#include "compile/ptxas_options.h"

#include <string.h>
#include <unistd.h>

#include "compile/process.h"

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
#include "compile/ptxas_options.def"
#undef PTXAS_OPTION
};

static const char BLANKS[] = " \t";

static const char *next_argument(struct arena *arena, const char **text)
{
    *text += strspn(*text, BLANKS);
    size_t size = strcspn(*text, BLANKS);
    const char *argument = arena_copy_string(arena, *text, size);
    *text += size;
    return size ? argument : NULL;
}

/* Returns true if the argument names the option: two dashes and the long name, or one dash and the
 * short name. A value may follow the name. */
static bool is_option(const struct ptxas_option *option, const char *argument, bool is_long)
{
    const char *known = is_long ? option->long_name : option->short_name;
    const char *name = argument + (is_long ? 2 : 1);
    size_t size = strlen(known);
    if (strncmp(name, known, size) != 0)
        return false;
    return !name[size] || (name[size] == '=' && option->argument != FLAG) ||
           (option->argument == GLUED && !is_long);
}

static const struct ptxas_option *find_option(const char *argument)
{
    bool is_long = !strncmp(argument, "--", 2);
    for (size_t i = 0; *argument == '-' && i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (is_option(&OPTIONS[i], argument, is_long))
            return &OPTIONS[i];
    return NULL;
}

/* Returns true if the option has a value, and the value is the next argument, not a part of this
 * argument. */
static bool takes_next_argument(const struct ptxas_option *option, const char *argument)
{
    bool is_long = !strncmp(argument, "--", 2);
    return option->argument != FLAG && !strchr(argument, '=') &&
           (option->argument != GLUED || is_long);
}

void ptxas_options_add(struct argument_list *list, struct arena *arena, const char *text,
                       void (*refuse)(void *context, const char *argument), void *context)
{
    for (const char *argument; (argument = next_argument(arena, &text));) {
        const struct ptxas_option *option = find_option(argument);
        const char *value =
            option && takes_next_argument(option, argument) ? next_argument(arena, &text) : NULL;
        if (!option || option->treatment == REFUSED)
            refuse(context, argument);
        if (!option || option->treatment != PASSED)
            continue;
        *ARENA_APPEND(arena, list, arguments) = argument;
        if (value)
            *ARENA_APPEND(arena, list, arguments) = value;
    }
}

static bool is_named(const struct ptxas_option *option, const char *short_name)
{
    return option && !strcmp(option->short_name, short_name);
}

/* Makes the name of an options file absolute, because ptxas runs in another folder. The output does
 * not record this name. The name of a missing file is left unchanged, so that the message of ptxas
 * has the name that the user wrote. */
static const char *options_file(struct arena *arena, const char *name)
{
    return access(name, R_OK) ? name : process_file_name(arena, name);
}

static const char *argument_of_file(struct arena *arena, const char *argument)
{
    size_t size = strcspn(argument, "=");
    return argument[size] ? arena_format(arena, "%.*s=%s", (int)size, argument,
                                         options_file(arena, argument + size + 1))
                          : argument;
}

void ptxas_options_add_chosen(struct argument_list *list, struct arena *arena,
                              const char *const *texts, size_t count)
{
    const struct ptxas_option *awaiting = NULL; /* the option whose value is the next argument */
    for (size_t i = 0; i < count; i++)
        for (const char *text = texts[i], *argument; (argument = next_argument(arena, &text));) {
            const struct ptxas_option *option = awaiting ? awaiting : find_option(argument);
            if (is_named(option, "optf"))
                argument =
                    awaiting ? options_file(arena, argument) : argument_of_file(arena, argument);
            if (!is_named(option, "o"))
                *ARENA_APPEND(arena, list, arguments) = argument;
            awaiting = !awaiting && option && takes_next_argument(option, argument) ? option : NULL;
        }
}
