/* The command line; the options are in options.def. */
#ifndef WARPLD_CLI_OPTIONS_OPTIONS_H
#define WARPLD_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "cli/options/options_file.h"

enum option_id {
#define OPTION(id, long_name, short_name, argument, value, effect, help) OPTION_##id,
#include "cli/options/options.def"
#undef OPTION
    OPTION_COUNT,
};

/* What one option was given. Strings belong to the arena or to argv. */
struct option_value {
    bool given;
    const char *text; /* as it was typed; NULL for flags and lists */
    long number;      /* of INTEGER; of BOOLEAN 0 or 1 */
    GROWING_ARRAY(const char *, items);
};

/* A word of the command line with its value: an option, or an input when the id is OPTION_COUNT. */
struct given_word {
    enum option_id id;
    const char *value; /* NULL for flags */
};

struct command_line {
    struct arena *arena;
    struct option_value options[OPTION_COUNT];
    GROWING_ARRAY(const char *, inputs);
    GROWING_ARRAY(const char *, folders);      /* where libraries are looked for */
    GROWING_ARRAY(struct given_word, given);   /* all words in their order */
    GROWING_ARRAY(struct options_file, files); /* in the order in which they were opened */
};

/* How a command line can be wrong. */
struct option_problem {
    const char *text;
    bool fatal; /* else a warning, and parsing went on */
};
typedef void option_problem_handler(void *context, const struct option_problem *problem);

/* What is wrong with the options together, in nvlink's words; NULL if nothing is. */
const char *command_line_conflict(const struct command_line *line);

/* The same for options that only link-time optimisation has; nvlink looks at them later. */
const char *command_line_optimisation_conflict(const struct command_line *line);

/* False after a fatal problem. The arena must outlive the structure. */
bool command_line_parse(struct command_line *line, struct arena *arena, int argc, char **argv,
                        option_problem_handler *handler, void *context);

/* The folders of -L, then those of the environment's variable LIBRARY_PATH, in which nvlink 13.0.88
 * looks too. NULL, or what is wrong with the latter. */
const char *command_line_take_folders(struct command_line *line, const char *library_path);

static inline bool command_line_given(const struct command_line *line, enum option_id id)
{
    return line->options[id].given;
}

static inline const char *command_line_text(const struct command_line *line, enum option_id id)
{
    return line->options[id].text;
}

const char *option_long_name(enum option_id id);

/* An option that was given and is not supported yet; its long name, NULL when there is none. */
const char *command_line_not_yet(const struct command_line *line);

void options_print_help(FILE *stream, const char *program);

#endif
