/* The command line; see options.h. */
#include "tool/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "tool/decode/subject.h"
#include "tool/diff/diff.h"
#include "tool/disassemble/disassemble.h"
#include "tool/dump.h"
#include "tool/explain/explain.h"
#include "tool/graph/graph.h"
#include "tool/list.h"
#include "tool/resources.h"
#include "tool/size/size.h"
#include "tool/symbols.h"
#include "tool/uidx.h"
#include "tool/verify/verify.h"

enum command_index {
#define TOOL_COMMAND(name, spelling, function, fewest, most, files, summary, details) INDEX_##name,
#include "tool/commands.def"
#undef TOOL_COMMAND
    COMMAND_COUNT,
};

enum command_bit {
#define TOOL_COMMAND(name, spelling, function, fewest, most, files, summary, details)              \
    name = 1 << INDEX_##name,
#include "tool/commands.def"
#undef TOOL_COMMAND
};

static const struct tool_command COMMANDS[] = {
#define TOOL_COMMAND(name, spelling, function, fewest, most, files, summary, details)              \
    {spelling, function, fewest, most, files, summary, details, name},
#include "tool/commands.def"
#undef TOOL_COMMAND
};

enum option_name {
#define TOOL_OPTION(field, kind, spelling, argument, commands, text) OPTION_##field,
#include "tool/options.def"
#undef TOOL_OPTION
    OPTION_COUNT,
};

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_OWN };

#define FIELD_OF_FLAG(field) offsetof(struct tool_options, field)
#define FIELD_OF_TEXT(field) offsetof(struct tool_options, field)
#define FIELD_OF_OWN(field)  0

static const struct {
    const char *spelling;
    const char *argument;
    unsigned commands;
    const char *text;
    enum option_kind kind;
    size_t field;
} OPTIONS[] = {
#define TOOL_OPTION(field, kind, spelling, argument, commands, text)                               \
    {spelling, argument, commands, text, OPTION_##kind, FIELD_OF_##kind(field)},
#include "tool/options.def"
#undef TOOL_OPTION
};

enum { DEFAULT_LIMIT = 40 };

const struct tool_command *tool_command_find(const char *spelling)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(COMMANDS[i].spelling, spelling))
            return &COMMANDS[i];
    return NULL;
}

/* Finds the option for an argument "--name" or "--name=value", and sets *value. Returns
 * OPTION_COUNT if the command has no such option. */
static enum option_name find_option(const struct tool_command *command, const char *argument,
                                    const char **value)
{
    *value = NULL;
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t size = strlen(OPTIONS[i].spelling);
        if (!(OPTIONS[i].commands & command->bit) || strncmp(argument, OPTIONS[i].spelling, size))
            continue;
        if (!argument[size])
            return i;
        if (argument[size] == '=' && OPTIONS[i].argument) {
            *value = argument + size + 1;
            return i;
        }
    }
    return OPTION_COUNT;
}

static bool parse_count(const char *text, size_t *count)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value > SIZE_MAX)
        return false;
    *count = (size_t)value;
    return true;
}

/* Sets an option of the kind OWN: its value is not a text, or it sets other fields than `field` of
 * its row in options.def. */
static bool set_own_option(struct tool_options *options, enum option_name name, const char *value,
                           const char **names, size_t count)
{
    switch (name) {
    case OPTION_image:
        return parse_count(value, &options->image) && options->image;
    case OPTION_demangle:
        options->names = NAMES_READABLE;
        break;
    case OPTION_no_demangle:
        options->names = NAMES_OF_FILE;
        break;
    case OPTION_section:
        names[count - ++options->section_count] = value;
        options->sections = names + count - options->section_count;
        break;
    case OPTION_limit:
        return parse_count(value, &options->limit);
    default:
        break;
    }
    return true;
}

static bool set_option(struct tool_options *options, enum option_name name, const char *value,
                       const char **names, size_t count)
{
    char *field = (char *)options + OPTIONS[name].field;
    switch (OPTIONS[name].kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = value;
        break;
    case OPTION_OWN:
        return set_own_option(options, name, value, names, count);
    }
    return true;
}

static bool usage_error(const struct tool_command *command, const char *problem, const char *what)
{
    struct arena arena;
    tool_arena_init(&arena);
    fprintf(stderr, "cubintool %s: %s%s%s\n", command->spelling, problem, what ? ": " : "",
            what ? terminal_text_show(&arena, what) : "");
    fprintf(stderr, "Try 'cubintool %s --help'.\n", command->spelling);
    arena_destroy(&arena);
    return false;
}

static bool check_file_count(const struct tool_options *options, const struct tool_command *command)
{
    if (options->help)
        return true;
    if (options->file_count < command->fewest_files)
        return usage_error(command, "too few files; expected", command->files);
    if (options->file_count > command->most_files)
        return usage_error(command, "too many files; expected", command->files);
    return true;
}

bool tool_options_parse(struct tool_options *options, const struct tool_command *command,
                        char **arguments, size_t count, const char **names)
{
    *options = (struct tool_options){.files = names, .limit = DEFAULT_LIMIT};
    bool only_files = false;
    for (size_t i = 0; i < count; i++) {
        const char *argument = arguments[i], *value;
        if (only_files || argument[0] != '-' || !argument[1]) {
            names[options->file_count++] = argument;
            continue;
        }
        if (!strcmp(argument, "--")) {
            only_files = true;
            continue;
        }
        enum option_name name = find_option(command, argument, &value);
        if (name == OPTION_COUNT)
            return usage_error(command, "unknown option", argument);
        if (OPTIONS[name].argument && !value && ++i < count)
            value = arguments[i];
        if (OPTIONS[name].argument && !value)
            return usage_error(command, "option needs a value", argument);
        if (!set_option(options, name, value, names, count))
            return usage_error(command, "bad value of option", argument);
    }
    return check_file_count(options, command);
}

void tool_print_command_help(const struct tool_command *command)
{
    printf("Usage: cubintool %s [OPTION]... %s\n\n", command->spelling, command->files);
    printf("%s.\n\n%s\nOptions:\n", command->summary, command->details);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!(OPTIONS[i].commands & command->bit))
            continue;
        const char *argument = OPTIONS[i].argument ? OPTIONS[i].argument : "";
        int width = (int)strlen(OPTIONS[i].spelling) + 1 + (int)strlen(argument);
        printf("  %s %s%*s  %s\n", OPTIONS[i].spelling, argument, 18 - width, "", OPTIONS[i].text);
    }
}

void tool_print_help(void)
{
    printf("Usage: cubintool COMMAND [OPTION]... FILE...\n\n"
           "Reads device code: cubins, and those in fat binaries, host objects, programs and "
           "archives\n"
           "(-: standard input).\n\n"
           "Commands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-11s  %s\n", COMMANDS[i].spelling, COMMANDS[i].summary);
    printf("\n'cubintool help COMMAND' lists a command's options; --version prints the version.\n"
           "Exit status: 0 all is well (equal, clean), 1 differences or violations found,\n"
           "2 unusable input or usage.\n");
}
