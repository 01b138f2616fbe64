/* The command line; see options.h. Grammar and messages are those of nvlink 13.0.88. */
#include "cli/options/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/keywords.h"
#include "cli/options/list_value.h"
#include "cli/options/options_file.h"
#include "cli/options/suggestion.h"

enum argument { FLAG, TEXT, INTEGER, BOOLEAN, KEYWORD, OPTIONAL, LIST, EACH };
enum effect { ACTS, NONE, LTO };

/* The rows contain the names themselves, because pointers to names would have to be relocated at
 * each start of the program. */
static const struct option {
    char long_name[48];
    char short_name[48]; /* empty when there is none */
    unsigned char argument;
    unsigned char effect;
} OPTIONS[OPTION_COUNT] = {
#define OPTION(id, long_name, short_name, argument, value, effect, help)                           \
    {long_name, short_name, argument, effect},
#include "cli/options/options.def"
#undef OPTION
};

struct parser {
    struct command_line *line;
    struct argument_source *arguments;
    option_problem_handler *handler;
    void *context;
};

/* Reports a fatal problem. `note` may be NULL. Returns false. */
static bool report(struct parser *parser, const char *code, const char *text, const char *note)
{
    struct option_problem problem = {.code = code, .text = text, .note = note, .fatal = true};
    parser->handler(parser->context, &problem);
    return false;
}

#define FATAL(parser, ...)                                                                         \
    report((parser), "option-value", arena_format((parser)->line->arena, __VA_ARGS__), NULL)

static bool report_unknown(struct parser *parser, const char *argument)
{
    struct arena *arena = parser->line->arena;
    argument = arena_copy_string(arena, argument, strcspn(argument, "="));
    return report(parser, "unknown-option",
                  arena_format(arena, "Unknown option '%s'", argument + 1),
                  option_suggestion(arena, argument));
}

static void warn_of_redefinition(struct parser *parser, enum option_id id)
{
    struct option_problem problem = {.code = "option-redefined"};
    problem.text = arena_format(parser->line->arena,
                                "incompatible redefinition for option '%s', the last value of this "
                                "option was used",
                                OPTIONS[id].long_name);
    parser->handler(parser->context, &problem);
}

/* --------------------------------------------------------------------------------------------- */
/* Which option an argument names */

/* Whether the value may be attached to the option's letter, as in -lNAME. */
static bool takes_glued_value(enum option_id id)
{
    return id == OPTION_LIBRARY || id == OPTION_LIBRARY_PATH || id == OPTION_MACHINE;
}

/* What an argument contains: an option and, possibly, its value. */
struct option_argument {
    enum option_id id; /* OPTION_COUNT: none */
    const char *value; /* the value after '=' or directly after the letter; NULL: none */
};

/* Finds the option that an argument names. Two dashes introduce a long name, one dash a short
 * name. */
static struct option_argument find_option(const char *argument)
{
    bool is_long = argument[1] == '-' && argument[2];
    const char *name = argument + (is_long ? 2 : 1);
    size_t size = strcspn(name, "=");
    const char *value = name[size] ? name + size + 1 : NULL;
    for (int id = 0; id < OPTION_COUNT; id++) {
        const char *known = is_long ? OPTIONS[id].long_name : OPTIONS[id].short_name;
        if (size && strlen(known) == size && !memcmp(known, name, size))
            return (struct option_argument){(enum option_id)id, value};
    }
    for (int id = 0; id < OPTION_COUNT && !is_long; id++)
        if (takes_glued_value((enum option_id)id) && *name == *OPTIONS[id].short_name)
            return (struct option_argument){(enum option_id)id, name + 1};
    return (struct option_argument){OPTION_COUNT, NULL};
}

/* --------------------------------------------------------------------------------------------- */
/* Values                                                                                        */

static bool add_items(struct parser *parser, enum option_id id, const char *text)
{
    struct arena *arena = parser->line->arena;
    struct option_value *option = &parser->line->options[id];
    struct list_value list = {.items = NULL};
    const char *problem = list_value_read(&list, arena, text);
    for (size_t i = 0; i < list.items_count; i++)
        *ARENA_APPEND(arena, option, items) = list.items[i];
    return !problem || report(parser, "option-value", problem, NULL);
}

/* Reports a value that the option does not accept. A note names the option, because nvlink's
 * messages about numbers and booleans do not. */
static bool report_value(struct parser *parser, enum option_id id, const char *text)
{
    const char *note = arena_format(parser->line->arena, "this is the value of option '--%s'",
                                    OPTIONS[id].long_name);
    return report(parser, "option-value", text, note);
}

/* Reads a number. An empty text stands for 0. */
static bool read_integer(struct parser *parser, enum option_id id, const char *text, long *number)
{
    struct arena *arena = parser->line->arena;
    char *end;
    errno = 0;
    *number = strtol(text, &end, 0);
    if (*text && (end == text || *end))
        return report_value(parser, id, arena_format(arena, "'%s': expected a number", text));
    if (errno || *number > INT_MAX || *number < INT_MIN)
        return report_value(parser, id,
                            arena_format(arena, "32-bit integer value (%s) out of range", text));
    return true;
}

static bool read_boolean(struct parser *parser, enum option_id id, const char *text, long *number)
{
    *number = !strcmp(text, "true");
    return *number || !strcmp(text, "false") ||
           report_value(parser, id,
                        arena_format(parser->line->arena, "'%s': expected true or false", text));
}

/* Checks a keyword. Some keywords are accepted by warpld but not by nvlink, and a later --as may
 * still decide how the command behaves. So such a keyword is reported with only_of_nvlink set. */
static bool check_keyword(struct parser *parser, enum option_id id, const char *text)
{
    bool is_defined = keyword_is_defined(id, text);
    if (is_defined && !keyword_is_unknown_to_nvlink(id, text))
        return true;
    struct option_problem problem = {.code = "option-value", .fatal = !is_defined};
    problem.only_of_nvlink = is_defined;
    problem.text = arena_format(parser->line->arena, "Value '%s' is not defined for option '%s'",
                                text, OPTIONS[id].long_name);
    if (!is_defined)
        problem.note = keyword_suggestion(parser->line->arena, id, text);
    parser->handler(parser->context, &problem);
    return is_defined;
}

static bool check_value(struct parser *parser, enum option_id id, const char *text)
{
    struct option_value *option = &parser->line->options[id];
    switch (OPTIONS[id].argument) {
    case INTEGER:
        return read_integer(parser, id, text, &option->number) &&
               (id != OPTION_MACHINE || option->number == 64 || check_keyword(parser, id, text));
    case BOOLEAN:
        return read_boolean(parser, id, text, &option->number);
    case OPTIONAL: /* the value of -Ofc is checked later, by line_problem_of_values */
        return id == OPTION_FAST_COMPILE || check_keyword(parser, id, text);
    case KEYWORD:
        return check_keyword(parser, id, text);
    default:
        return true;
    }
}

static bool store_value(struct parser *parser, enum option_id id, const char *text)
{
    struct option_value *option = &parser->line->options[id];
    if (OPTIONS[id].argument == LIST)
        return add_items(parser, id, text);
    if (OPTIONS[id].argument == EACH) {
        *ARENA_APPEND(parser->line->arena, option, items) = text;
        return true;
    }
    if (!check_value(parser, id, text))
        return false;
    if (OPTIONS[id].argument == INTEGER) /* the tool note records the number in decimal */
        text = arena_format(parser->line->arena, "%ld", option->number);
    const char *older = option->text;
    option->text = text;
    if (older && strcmp(older, text) != 0)
        warn_of_redefinition(parser, id);
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* Arguments                                                                                     */

/* Opens an options file. Reports a fatal problem if the file cannot be read, if it ends within
 * quotes or an escape, or if too many files are open. */
static bool open_file(struct parser *parser, const char *path)
{
    const char *problem = argument_source_open(parser->arguments, path);
    return !problem || report(parser, "options-file", problem, NULL);
}

/* Opens all files of a list, in this order, so that an error names the first file that cannot be
 * read. The file that is opened last would be read first, so the order of the open files is then
 * reversed. */
static bool open_files(struct parser *parser, const char *text)
{
    struct list_value list = {.items = NULL};
    const char *problem = list_value_read(&list, parser->line->arena, text);
    if (problem)
        return report(parser, "option-value", problem, NULL);
    int opened = parser->arguments->depth;
    for (size_t i = 0; i < list.items_count; i++)
        if (!open_file(parser, list.items[i]))
            return false;
    argument_source_turn(parser->arguments, opened);
    return true;
}

static void record_argument(struct parser *parser, enum option_id id, const char *value)
{
    struct command_line *line = parser->line;
    *ARENA_APPEND(line->arena, line, given) = (struct given_argument){id, value};
}

static bool parse_flag(struct parser *parser, enum option_id id, const char *argument,
                       const char *value)
{
    record_argument(parser, id, NULL);
    /* A command that behaves as nvlink refuses "all" later (check_help in main.c). */
    if (id == OPTION_HELP && value && !strcmp(value, "all")) {
        parser->line->options[id].text = argument;
        return true;
    }
    return !value || FATAL(parser, "no argument expected after '%.*s'", (int)strcspn(argument, "="),
                           argument);
}

/* Returns the value of an option whose own argument contains no value: the next argument or, if a
 * value is optional and missing, its default. */
static const char *next_value(struct parser *parser, enum option_id id)
{
    if (OPTIONS[id].argument == OPTIONAL && !argument_source_has_value(parser->arguments))
        return keyword_default(id);
    return argument_source_value(parser->arguments);
}

static bool parse_option(struct parser *parser, const char *argument)
{
    struct option_argument option = find_option(argument);
    if (option.id == OPTION_COUNT)
        return report_unknown(parser, argument);
    parser->line->options[option.id].given = true;
    if (OPTIONS[option.id].argument == FLAG)
        return parse_flag(parser, option.id, argument, option.value);
    const char *value = option.value ? option.value : next_value(parser, option.id);
    if (!value)
        return FATAL(parser, "argument expected after '%s'", argument);
    if (option.id == OPTION_OPTIONS_FILE)
        return open_files(parser, value);
    record_argument(parser, option.id, value);
    return store_value(parser, option.id, value);
}

static bool parse_argument(struct parser *parser, const char *argument)
{
    struct command_line *line = parser->line;
    bool names_file = argument[0] == '@' && argument_source_can_open(argument + 1);
    if (names_file &&
        /* Unlike warpld, nvlink has no options files of the form @FILE, but accepts an input with
         * the name "@FILE". So an existing file with this name is an input. */
        !argument_source_can_open(argument))
        return open_file(parser, argument + 1);
    if (argument[0] == '-' && argument[1])
        return parse_option(parser, argument);
    record_argument(parser, OPTION_COUNT, argument);
    *ARENA_APPEND(line->arena, line, inputs) = argument;
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* Options that exclude one another                                                              */

struct conflict {
    enum option_id option;
    enum option_id other;
    bool needs_other; /* true: `option` requires `other`; false: they exclude each other */
    const char *text;
};

/* The conflicts that nvlink checks first, in its order. nvlink does not check the last two rows. */
static const struct conflict CONFLICTS[] = {
    {OPTION_NO_DEBUG_INFO, OPTION_DEBUG, true, "'-suppress-debug-info' and 'no -g'"},
    {OPTION_DUMP_CALLGRAPH, OPTION_DUMP_CALLGRAPH_MANGLED, false,
     "'-dump-callgraph' and '-dump-callgraph-no-demangle'"},
    {OPTION_USE_HOST_INFO, OPTION_IGNORE_HOST_INFO, false,
     "'-use-host-info' and '-ignore-host-info'"},
    {OPTION_MERGE_CONSTANTS, OPTION_RELOCATABLE, false,
     "'-merge-constants' and '-relocatable-link'"},
    {OPTION_REMOVE_UNUSED_CONSTANTS, OPTION_RELOCATABLE, false,
     "'-remove-unused-constants' and '-relocatable-link'"},
};
static const struct conflict OPTIMISATION_CONFLICTS[] = {
    {OPTION_WHOLE_LTO, OPTION_PARTIAL_LTO, false, "'-force-partial-lto' and '-force-whole-lto'"},
    /* nvlink 13.0.88 treats -r like -force-partial-lto here. */
    {OPTION_WHOLE_LTO, OPTION_RELOCATABLE, false, "'-force-partial-lto' and '-force-whole-lto'"},
    {OPTION_PARTIAL_LTO, OPTION_DLTO, true, "'-force-partial-lto' and 'no -dlto'"},
    {OPTION_WHOLE_LTO, OPTION_DLTO, true, "'-force-whole-lto' and 'no -dlto'"},
    {OPTION_EMIT_PTX, OPTION_DLTO, true, "'-emit-ptx' and 'no -dlto'"},
    {OPTION_FAST_COMPILE, OPTION_DLTO, true, "'--Ofast-compile' and 'no -dlto'"},
};

static const char *find_conflict(const struct command_line *line, const struct conflict *conflicts,
                                 size_t count)
{
    const struct option_value *options = line->options;
    for (size_t i = 0; i < count; i++) {
        const struct conflict *conflict = &conflicts[i];
        bool other = options[conflict->other].given ||
                     (conflict->other == OPTION_DLTO && options[OPTION_LTO].given);
        if (options[conflict->option].given && other != conflict->needs_other)
            return arena_format(line->arena, "Conflicting options %s", conflict->text);
    }
    return NULL;
}

const char *command_line_conflict(const struct command_line *line)
{
    return find_conflict(line, CONFLICTS, sizeof CONFLICTS / sizeof *CONFLICTS);
}

const char *command_line_optimisation_conflict(const struct command_line *line)
{
    return find_conflict(line, OPTIMISATION_CONFLICTS,
                         sizeof OPTIMISATION_CONFLICTS / sizeof *OPTIMISATION_CONFLICTS);
}

static void keep_files(struct command_line *line, const struct argument_source *arguments)
{
    line->files = arguments->files;
    line->files_count = arguments->files_count;
}

bool command_line_parse(struct command_line *line, struct arena *arena, int argc, char **argv,
                        option_problem_handler *handler, void *context)
{
    *line = (struct command_line){.arena = arena};
    struct argument_source arguments;
    argument_source_init(&arguments, arena, argc, argv);
    struct parser parser = {line, &arguments, handler, context};
    const char *argument;
    bool good = true;
    while (good && (argument = argument_source_next(&arguments)))
        good = parse_argument(&parser, argument);
    keep_files(line, &arguments);
    return good;
}

const char *command_line_take_folders(struct command_line *line, const char *library_path)
{
    const struct option_value *given = &line->options[OPTION_LIBRARY_PATH];
    struct list_value found = {.items = NULL};
    const char *problem = folder_list_read(&found, line->arena, library_path);
    for (size_t i = 0; i < given->items_count; i++)
        *ARENA_APPEND(line->arena, line, folders) = given->items[i];
    for (size_t i = 0; i < found.items_count; i++)
        *ARENA_APPEND(line->arena, line, folders) = found.items[i];
    return problem;
}

const char *option_long_name(enum option_id id)
{
    return OPTIONS[id].long_name;
}

const char *option_short_name(enum option_id id)
{
    return OPTIONS[id].short_name;
}
