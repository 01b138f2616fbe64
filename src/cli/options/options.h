/* The command line. The options are in options.def. */
#ifndef WARPLD_CLI_OPTIONS_OPTIONS_H
#define WARPLD_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cli/options/options_file.h"

enum option_id {
#define OPTION(id, long_name, short_name, argument, value, effect, help) OPTION_##id,
#include "cli/options/options.def"
#undef OPTION
    OPTION_COUNT,
};

/* The values that were given for one option. The strings belong to the arena or to argv. */
struct option_value {
    bool given;
    const char *text; /* the value as it was given; NULL for flags and lists */
    long number;      /* the value of an INTEGER option; 0 or 1 for a BOOLEAN option */
    GROWING_ARRAY(const char *, items);
};

/* An argument with its value. If `id` is OPTION_COUNT, the argument is an input, and `value` is its
 * name. */
struct given_argument {
    enum option_id id;
    const char *value; /* NULL for flags */
};

struct command_line {
    struct arena *arena;
    struct option_value options[OPTION_COUNT];
    GROWING_ARRAY(const char *, inputs);
    GROWING_ARRAY(const char *, folders);        /* searched for libraries */
    GROWING_ARRAY(struct given_argument, given); /* all arguments, in order */
    GROWING_ARRAY(struct options_file, files);   /* in the order in which they were opened */
};

/* A problem with the command line. */
struct option_problem {
    const char *code; /* the message's code; see cli/explain/command_messages.def */
    const char *text;
    /* A note that names the option with the problem, or what the user may have meant. NULL: none. A
     * command that behaves as nvlink does not print the note. */
    const char *note;
    bool fatal;          /* true: parsing ends; false: the problem is a warning */
    bool only_of_nvlink; /* fatal if the command behaves as nvlink, else no problem */
};
typedef void option_problem_handler(void *context, const struct option_problem *problem);

/* Checks for options that exclude each other. Returns nvlink's message or NULL. */
const char *command_line_conflict(const struct command_line *line);

/* Checks for options of link-time optimisation that exclude each other. nvlink makes this check
 * later than that of command_line_conflict. Returns nvlink's message or NULL. */
const char *command_line_optimisation_conflict(const struct command_line *line);

/* Parses the arguments and passes problems to the handler. Returns false after a fatal problem. The
 * arena must outlive `line`. */
bool command_line_parse(struct command_line *line, struct arena *arena, int argc, char **argv,
                        option_problem_handler *handler, void *context);

/* Collects the folders of -L, then those of the environment variable LIBRARY_PATH, which nvlink
 * 13.0.88 also searches. Returns an error message about the variable, or NULL. */
const char *command_line_take_folders(struct command_line *line, const char *library_path);

static inline bool command_line_given(const struct command_line *line, enum option_id id)
{
    return line->options[id].given;
}

static inline const char *command_line_text(const struct command_line *line, enum option_id id)
{
    return line->options[id].text;
}

/* The path of the file that a value of --limit names (@FILE); NULL if the value is a limit. */
static inline const char *option_limit_file(const char *value)
{
    return *value == '@' ? value + 1 : NULL;
}

const char *option_long_name(enum option_id id);
const char *option_short_name(enum option_id id); /* empty if there is none */

#endif
