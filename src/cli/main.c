/* The command `warpld`: parses options, calls the library, prints messages and returns an exit
 * status.
 *
 * When the command behaves as nvlink, its messages begin with "nvlink", so that tools that read
 * nvlink's messages still work. The exit status is nvlink's: 0 on success, 1 after a fatal message,
 * 255 after errors only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/stream.h"
#include "base/terminal_text.h"
#include "cli/command.h"
#include "cli/compile/remote_cache.h"
#include "cli/device_link/device_link.h"
#include "cli/explain/explain.h"
#include "cli/fatal_signals.h"
#include "cli/host_script.h"
#include "cli/inspect/inspect.h"
#include "cli/inspect/limit_errors.h"
#include "cli/messages.h"
#include "cli/options/help.h"
#include "cli/options/line_problems.h"
#include "cli/options/options.h"
#include "cli/single_link.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

static void out_of_memory(void *owner)
{
    struct messages *messages = owner;
    messages_use_text(messages);
    messages_print(messages, WARPLD_FATAL, "out-of-memory", "Out of memory");
    exit(EXIT_FATAL);
}

static void print_option_problem(struct command *command, const struct option_problem *problem)
{
    command_print(command, problem->fatal ? WARPLD_FATAL : WARPLD_WARNING, problem->code,
                  problem->text);
    if (problem->note && !command->called_nvlink)
        command_print(command, WARPLD_NOTE, "option-suggestion", problem->note);
}

/* Prints the problems of the command line. -w also suppresses warnings about arguments that precede
 * -w. */
static void print_option_problems(struct command *command)
{
    bool no_warnings = command_line_given(&command->line, OPTION_NO_WARNINGS);
    for (size_t i = 0; i < command->problems_count; i++)
        if (command->problems[i].fatal || !no_warnings)
            print_option_problem(command, &command->problems[i]);
}

/* Stores a problem. Problems are printed after all arguments are parsed, because options decide how
 * messages are printed. */
static void take_option_problem(void *context, const struct option_problem *problem)
{
    struct command *command = context;
    *ARENA_APPEND(&command->arena, command, problems) = *problem;
}

static bool is_called_nvlink(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, "nvlink");
}

static void set_up_messages(struct command *command)
{
    const struct command_line *line = &command->line;
    struct messages *messages = &command->messages;
    const char *name = command_line_text(line, OPTION_TOOL_NAME);
    const char *slash = name ? strrchr(name, '/') : NULL;
    if (name)
        messages->tool = terminal_text_show(&command->arena, slash ? slash + 1 : name);
    if (command_line_given(line, OPTION_REPORT_ARCH))
        messages->architecture = command_line_text(line, OPTION_ARCHITECTURE);
    messages->is_of_nvlink = command->called_nvlink;
    messages->no_notes = command_line_given(line, OPTION_NO_NOTES);
    messages->no_infos = command_line_given(line, OPTION_NO_INFOS);
    messages->no_warnings = command_line_given(line, OPTION_NO_WARNINGS);
}

static bool names_used_symbols(const struct command_line *line)
{
    return line->options[OPTION_KERNELS_USED].items_count ||
           line->options[OPTION_VARIABLES_USED].items_count;
}

static int write_host_script(struct command *command)
{
    const char *problem = host_script_write(&command->line);
    return !problem || command_fail(command, "host-script", problem) ? EXIT_SUCCESS : EXIT_FATAL;
}

/* Reports that --use-host-info is ignored. nvlink prints this message even with -disable-infos. */
static void report_ignored_host_info(struct command *command)
{
    if (command_line_given(&command->line, OPTION_USE_HOST_INFO) &&
        names_used_symbols(&command->line) &&
        (command->called_nvlink || !command->messages.no_infos))
        messages_print(&command->messages, WARPLD_INFO, "host-info-ignored",
                       "ignore -use-host-info because -kernels-used or -variables-used is "
                       "specified");
}

static void report_ignored_threads(struct command *command)
{
    const struct command_line *line = &command->line;
    if (line->options[OPTION_SPLIT_COMPILE_EXTENDED].given &&
        line->options[OPTION_SPLIT_COMPILE_EXTENDED].number != line_extended_threads(line))
        messages_print_threads(&command->messages, "Incompatible options '-emit-ptx' and "
                                                   "'-split-compile-extended', using "
                                                   "'-split-compile'");
}

/* Warns that --device-stack-protector-frame-size-threshold has no effect. nvlink 13.0.88 checks its
 * number and then ignores it silently: outputs from PTX and from LTO-IR were the same for all
 * numbers. ptxas has an option with this name, which has an effect. */
static void warn_of_threshold(struct command *command)
{
    if (command_line_given(&command->line, OPTION_STACK_PROTECTOR_THRESHOLD) &&
        !command->called_nvlink && !command->messages.no_warnings)
        messages_print(&command->messages, WARPLD_WARNING, "option-without-effect",
                       "Option '--device-stack-protector-frame-size-threshold' has no effect, as "
                       "in nvlink; pass it to ptxas with -Xptxas");
}

static const char *take_folders(struct command *command)
{
    const char *folders = getenv("LIBRARY_PATH");
    return command_line_take_folders(&command->line, folders ? folders : "");
}

/* Returns an error message if both the output and text would be written to standard output, else
 * NULL. */
static const char *problem_of_stdout(const struct command_line *line)
{
    const char *output = command_line_text(line, OPTION_OUTPUT);
    const char *times = command_line_text(line, OPTION_TIME);
    if (!output || strcmp(output, "-") != 0)
        return NULL;
    if (times && !strcmp(times, "-"))
        return "The output of '-o -' and the times of '--time=-' cannot both be written to "
               "standard output";
    return inspection_uses_stdout(line)
               ? "The output of '-o -' and text about the link cannot both be written to standard "
                 "output"
               : NULL;
}

/* Whether the check for a missing target is left to the library, because the library's message can
 * also name the targets of the inputs. */
static bool leaves_target_to_library(const struct command *command)
{
    const struct command_line *line = &command->line;
    return !command->called_nvlink && !command_line_given(line, OPTION_ARCHITECTURE) &&
           line->inputs_count && !line_problem_of_device_link(line);
}

/* Checks the command line of a link for one target. Returns false after a fatal message. */
static bool is_good_line(struct command *command)
{
    const char *problem = take_folders(command);
    if (!problem && leaves_target_to_library(command))
        return true;
    if (!problem)
        problem = line_problem(&command->line);
    if (!problem)
        problem = limits_of_line(&command->limits, &command->line);
    if (!problem) {
        report_ignored_host_info(command);
        problem = line_problem_of_optimisation(&command->line, command->called_nvlink);
    }
    if (!problem) {
        report_ignored_threads(command);
        warn_of_threshold(command);
        problem = line_problem_of_values(&command->line);
    }
    if (!problem && !command->called_nvlink)
        problem = problem_of_stdout(&command->line);
    if (!problem && inspection_is_wanted(&command->line) && line_has_virtual_target(&command->line))
        problem = "Options that describe the output, such as '--map', need a real target; the "
                  "driver links for a virtual one";
    return !problem || command_fail(command, "command-line", problem);
}

/* Sets the target of the messages that follow: each of them ends with its name, as with
 * -report-arch. */
static void begin_target(void *context, const char *target)
{
    struct messages *messages = &((struct command *)context)->messages;
    messages_flush(messages);
    messages->architecture = messages->target = target;
}

static void take_ptx_message(void *context, enum ptx_message_kind kind, const char *text,
                             size_t size)
{
    messages_take_ptx(&((struct command *)context)->messages, kind, text, size);
}

static void print_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    messages_diagnostic(&((struct command *)context)->messages, diagnostic);
}

static void fail(void *context, const char *code, const char *text)
{
    command_fail(context, code, text);
}

static int link_for_host(struct command *command)
{
    struct device_link link = {
        .arena = &command->arena,
        .line = &command->line,
        .called_nvlink = command->called_nvlink,
        .names = &command->names,
        .remote = command->remote,
        .printer = {command, print_diagnostic, take_ptx_message},
        .begin_target = begin_target,
        .fail = fail,
    };
    const char *problem = take_folders(command);
    if (problem) {
        command_fail(command, "command-line", problem);
        return EXIT_FATAL;
    }
    warn_of_threshold(command);
    return command_exit_status(device_link_run(&link));
}

static int run(struct command *command)
{
    int status;
    set_up_messages(command);
    fatal_signals_report(command->messages.tool);
    command->remote = remote_cache_create(&command->line);
    if (command_line_given(&command->line, OPTION_DEVICE_LINK))
        status = link_for_host(command);
    else if (command_line_given(&command->line, OPTION_HOST_LINKER_SCRIPT))
        status = write_host_script(command);
    else
        status = is_good_line(command) ? command_exit_status(single_link_run(command)) : EXIT_FATAL;
    remote_cache_destroy(command->remote);
    return status;
}

/* Prints two lines. The second line contains a text such as "release 13.0, V13.0.88". Build systems
 * search the output of nvlink --version for this text and take the toolkit's version from it. */
static void print_version(void)
{
    printf("warpld %s, the open CUDA device linker\n"
           "Links objects of CUDA toolkits up to release %d.%d, V%d.%d.0\n",
           warpld_version(), WARPLD_TOOLKIT_VERSION / 10, WARPLD_TOOLKIT_VERSION % 10,
           WARPLD_TOOLKIT_VERSION / 10, WARPLD_TOOLKIT_VERSION % 10);
}

static int explain(struct command *command)
{
    const char *code = command_line_text(&command->line, OPTION_EXPLAIN);
    if (explain_print(stdout, code))
        return EXIT_SUCCESS;
    command_fail(
        command, "no-such-code",
        arena_format(&command->arena, "There is no message '%s'; --explain=all lists all", code));
    return EXIT_FATAL;
}

/* Prints the help. If --help has a value, the value is "all", because the parser accepts no
 * other. */
static void print_help(const struct command *command)
{
    const char *tool = command->messages.tool;
    if (command->called_nvlink)
        help_print_list(stdout, tool);
    else if (command_line_text(&command->line, OPTION_HELP))
        help_print_groups(stdout, tool);
    else
        help_print_first(stdout, tool);
}

static int introduce(const struct command *command)
{
    const char *tool = command->messages.tool;
    fprintf(stderr,
            "warpld %s, the open CUDA device linker: links CUDA device code into one executable "
            "cubin\n"
            "Usage: %s -arch ARCH -o FILE [options] INPUT...\n"
            "'%s --help' lists the options; 'man warpld' has examples.\n",
            warpld_version(), tool, tool);
    return EXIT_FATAL;
}

static int help_or_run(struct command *command)
{
    int status = EXIT_SUCCESS;
    if (!command->line.given_count && !command->line.files_count && !command->called_nvlink)
        return introduce(command);
    if (command_line_given(&command->line, OPTION_HELP))
        print_help(command);
    else if (command_line_given(&command->line, OPTION_VERSION))
        print_version();
    else if (command_line_given(&command->line, OPTION_EXPLAIN))
        status = explain(command);
    else
        status = run(command);
    if (!stream_finish(stdout))
        command_report_lost_output(command, "standard output");
    return command->has_lost_output ? EXIT_FATAL : status;
}

/* Decides whether the command behaves as nvlink: --as decides or, without --as, the program's name.
 * nvcc always starts its linker by the name nvlink, so with this name the variable WARPLD_AS can
 * decide, too. */
static void choose_role(struct command *command)
{
    const char *role = command_line_text(&command->line, OPTION_AS);
    if (!role && command->is_named_nvlink)
        role = getenv("WARPLD_AS");
    if (role && !strcmp(role, "warpld"))
        command->called_nvlink = false;
    else if (role && !strcmp(role, "nvlink"))
        command->called_nvlink = true;
    command->messages.tool = command_name(command);
}

/* Decides which problems are fatal. A problem with only_of_nvlink is fatal if the command behaves
 * as nvlink, and is dropped otherwise. All problems that follow a fatal problem are dropped. */
static void settle_problems(struct command *command)
{
    size_t kept = 0;
    for (size_t i = 0; i < command->problems_count; i++) {
        struct option_problem *problem = &command->problems[i];
        problem->fatal = problem->fatal || (problem->only_of_nvlink && command->called_nvlink);
        if (problem->fatal || !problem->only_of_nvlink)
            command->problems[kept++] = *problem;
        if (problem->fatal)
            break;
    }
    command->problems_count = kept;
}

/* A command that behaves as nvlink refuses --help=all, like any value of a flag. */
static void check_help(struct command *command)
{
    const char *argument = command_line_text(&command->line, OPTION_HELP);
    if (!argument || !command->called_nvlink)
        return;
    struct option_problem problem = {.code = "option-value", .fatal = true};
    problem.text = arena_format(&command->arena, "no argument expected after '%.*s'",
                                (int)strcspn(argument, "="), argument);
    take_option_problem(command, &problem);
}

static bool has_fatal_problem(const struct command *command)
{
    size_t count = command->problems_count;
    return count && command->problems[count - 1].fatal;
}

/* Runs the command after its arguments have been parsed. Returns the exit status. */
static int run_command(struct command *command)
{
    const char *path = command_line_text(&command->line, OPTION_DIAGNOSTICS_FILE);
    choose_role(command);
    settle_problems(command);
    check_help(command);
    if (!messages_choose_form(&command->messages, &command->line, command->called_nvlink)) {
        messages_use_text(&command->messages);
        command_fail(command, "file-unusable",
                     arena_format(&command->arena, "Cannot open file '%s'", path));
        return EXIT_FATAL;
    }
    print_option_problems(command);
    int status = has_fatal_problem(command) ? EXIT_FATAL : help_or_run(command);
    if (messages_finish(&command->messages, status))
        return status;
    messages_use_text(&command->messages);
    command_report_lost_output(command, arena_format(&command->arena, "file '%s'", path));
    return EXIT_FATAL;
}

int main(int argc, char **argv)
{
    struct command command = {.is_named_nvlink = argc && is_called_nvlink(argv[0])};
    command.called_nvlink = command.is_named_nvlink;
    command.messages.tool = command_name(&command);
    arena_init(&command.arena, out_of_memory, &command.messages);
    command.messages.arena = &command.arena;
    command.names.arena = &command.arena;
    command.messages.names = &command.names;
    messages_use_text(&command.messages);
    command_line_parse(&command.line, &command.arena, argc, argv, take_option_problem, &command);
    int status = run_command(&command);
    arena_destroy(&command.arena);
    return status;
}
