/* The script for the host's linker; see host_script.h.
 *
 * A script of type lcs-aug is for a linker that adds the script to its default script. A script of
 * type lcs-abs consists of the default script of the host's ld and the script of type lcs-aug. To
 * get the default script, ld is run with the options of -Xlinker or, if there are none, with those
 * that the host's compiler would pass.
 *
 * This was observed with nvlink 13.0.88 and with programs in place of gcc and ld that record their
 * arguments. nvlink runs gcc and ld in a shell, and joins the values of several -Xlinker into
 * one. */
#include "cli/host_script.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "compile/process.h"

static const char SECTIONS[] = "SECTIONS\n"
                               "{\n"
                               "\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
                               "\t__nv_relfatbin : { *(__nv_relfatbin) } \n"
                               "\t.nv_fatbin : { *(.nv_fatbin) }\n"
                               "}\n";

static const char FAILED[] = "Host linker script creation failed.";

struct arguments {
    GROWING_ARRAY(const char *, items);
};

static void add_argument(struct arena *arena, struct arguments *arguments, const char *argument)
{
    *ARENA_APPEND(arena, arguments, items) = argument;
}

static void add_arguments_of(struct arena *arena, struct arguments *arguments, const char *text)
{
    while (*(text += strspn(text, " \t"))) {
        size_t size = strcspn(text, " \t");
        add_argument(arena, arguments, arena_copy_string(arena, text, size));
        text += size;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Options that the host's compiler would pass to the linker                                     */

/* Appends the options that decide which default script the linker uses. `command` is the command
 * with which the compiler would run the linker. */
static void add_choice(struct arena *arena, struct arguments *arguments,
                       const struct arguments *command)
{
    for (size_t i = 0; i < command->items_count; i++) {
        const char *argument = command->items[i];
        bool takes_value = !strcmp(argument, "-m") || !strcmp(argument, "-z");
        bool alone =
            !strcmp(argument, "-pie") || !strcmp(argument, "-shared") || !strcmp(argument, "-r");
        if (takes_value && i + 1 < command->items_count) {
            add_argument(arena, arguments, argument);
            add_argument(arena, arguments, command->items[++i]);
        } else if (alone) {
            add_argument(arena, arguments, argument);
        }
    }
}

/* Asks the host's compiler how it would run the linker, and appends the options that choose the
 * linker's script. With -###, the compiler prints this command, among other lines, without running
 * it. */
static void ask_compiler(const struct command_line *line, struct arguments *arguments)
{
    struct arena *arena = line->arena;
    const char *chosen = command_line_text(line, OPTION_HOST_CCBIN);
    bool shared = command_line_given(line, OPTION_SHARED);
    const char *question[] = {chosen ? chosen : "gcc",   "-###", "/dev/null", "-m64",
                              shared ? "-shared" : NULL, NULL};
    struct process_plan plan = {.arguments = question};
    const char *text = process_answer(arena, &plan, PROCESS_MESSAGES);
    while (text && *text) {
        size_t size = strcspn(text, "\n");
        const char *shown = arena_copy_string(arena, text, size);
        struct arguments command = {.items = NULL};
        if (strstr(shown, "collect2")) {
            add_arguments_of(arena, &command, shown);
            add_choice(arena, arguments, &command);
        }
        text += size + (text[size] == '\n');
    }
}

static struct arguments options_for_linker(const struct command_line *line)
{
    struct arguments arguments = {.items = NULL};
    const struct option_value *named = &line->options[OPTION_HOST_LINKER_OPTIONS];
    add_argument(line->arena, &arguments, "ld");
    add_argument(line->arena, &arguments, "--verbose");
    for (size_t i = 0; i < named->items_count; i++)
        add_arguments_of(line->arena, &arguments, named->items[i]);
    if (!named->items_count)
        ask_compiler(line, &arguments);
    add_argument(line->arena, &arguments, NULL);
    return arguments;
}

/* --------------------------------------------------------------------------------------------- */
/* The linker's script                                                                           */

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end ? end + 1 : NULL;
}

/* Returns the text between the first two lines that begin with equals signs, as `ld --verbose`
 * prints its script; NULL if there are no such lines. */
static const char *script_in(struct arena *arena, const char *text)
{
    static const char RULE[] = "=====";
    while (text && strncmp(text, RULE, strlen(RULE)) != 0)
        text = next_line(text);
    const char *start = text ? next_line(text) : NULL;
    for (text = start; text && strncmp(text, RULE, strlen(RULE)) != 0;)
        text = next_line(text);
    return text ? arena_copy_string(arena, start, (size_t)(text - start)) : NULL;
}

static const char *script_of_linker(const struct command_line *line)
{
    struct arguments arguments = options_for_linker(line);
    struct process_plan plan = {.arguments = arguments.items};
    const char *text = process_answer(line->arena, &plan, PROCESS_OUTPUT);
    return text ? script_in(line->arena, text) : NULL;
}

const char *host_script_write(const struct command_line *line)
{
    const char *path = command_line_text(line, OPTION_OUTPUT);
    const char *kind = command_line_text(line, OPTION_HOST_LINKER_SCRIPT);
    const char *script = SECTIONS;
    if (line->inputs_count)
        return "Input files are not allowed with -ghls option; use --help for more information";
    if (!strcmp(kind, "lcs-abs")) {
        const char *first = script_of_linker(line);
        if (!first)
            return FAILED;
        script = arena_format(line->arena, "%s%s", first, SECTIONS);
    }
    if (!path) {
        fputs(script, stdout);
        return NULL;
    }
    struct bytes bytes = {(const uint8_t *)script, strlen(script)};
    return file_replace(path, bytes)
               ? arena_format(line->arena, "Could not open output file '%s'", path)
               : NULL;
}
