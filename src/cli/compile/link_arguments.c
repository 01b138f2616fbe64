/* Options of the command line for ptxas; see link_arguments.h. */
#include "cli/compile/link_arguments.h"

#include <string.h>

#include "compile/ptxas_options.h"

/* The order of the arguments is nvlink's. It matters if two arguments set the same value.
 * -maxrregcount is passed only if it is positive, -split-compile and -Ofc only if they differ from
 * their defaults. nvlink accepts -Ofc only with -lto, but passes it for all PTX of the link. */
const char *const *link_arguments_for_ptxas(struct arena *arena, const struct command_line *line,
                                            bool inputs_have_threads, size_t *count)
{
    const struct option_value *options = line->options;
    const struct option_value *given = &options[OPTION_PTXAS_OPTIONS];
    struct argument_list list = {.arguments = NULL};
    ptxas_options_add_chosen(&list, arena, given->items, given->items_count);
    if (options[OPTION_MAX_REGISTERS].number > 0)
        *ARENA_APPEND(arena, &list, arguments) =
            arena_format(arena, "-maxrregcount=%ld", options[OPTION_MAX_REGISTERS].number);
    if (options[OPTION_STACK_PROTECTOR].given)
        *ARENA_APPEND(arena, &list, arguments) =
            arena_format(arena, "-device-stack-protector=%s",
                         options[OPTION_STACK_PROTECTOR].number ? "true" : "false");
    if (options[OPTION_SPLIT_COMPILE].given && options[OPTION_SPLIT_COMPILE].number != 1 &&
        !inputs_have_threads)
        *ARENA_APPEND(arena, &list, arguments) =
            arena_format(arena, "-split-compile=%ld", options[OPTION_SPLIT_COMPILE].number);
    const char *level = command_line_text(line, OPTION_FAST_COMPILE);
    if (level && strcmp(level, "0") != 0)
        *ARENA_APPEND(arena, &list, arguments) = arena_format(arena, "-Ofc=%s", level);
    *count = list.arguments_count;
    return list.arguments;
}

unsigned compiler_seconds(const struct command_line *line)
{
    enum { GENEROUS = 3600 };
    long seconds = line->options[OPTION_PTXAS_TIMEOUT].number;
    if (!command_line_given(line, OPTION_PTXAS_TIMEOUT))
        return GENEROUS;
    return seconds < 0 ? 0 : (unsigned)seconds;
}

/* nvlink 13.0.88 accepts numbers of at most three characters, including the minus sign. */
static bool is_too_long(long number)
{
    return number > 999 || number < -99;
}

const char *link_arguments_problem(const struct command_line *line)
{
    const struct option_value *options = line->options;
    if (is_too_long(options[OPTION_MAX_REGISTERS].number) &&
        options[OPTION_MAX_REGISTERS].number > 0)
        return "Invalid argument for option '-maxrregcount'";
    if (is_too_long(options[OPTION_STACK_PROTECTOR_THRESHOLD].number))
        return "Invalid argument for option '--device-stack-protector-frame-size-threshold'";
    if (is_too_long(options[OPTION_SPLIT_COMPILE].number))
        return "Invalid argument for option '-split-compile'";
    return NULL;
}
