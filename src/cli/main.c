/* The command `warpld`: parses options, calls the library, prints messages and returns an exit
 * status.
 *
 * When the program is called nvlink, its messages begin with that name, so that tools which read
 * nvlink's messages still work. The exit status is nvlink's: 0 on success, 1 after a fatal message,
 * 255 after errors only. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/stream.h"
#include "base/stream_input.h"
#include "cli/call_graph.h"
#include "cli/compile/optimise.h"
#include "cli/compile/ptx.h"
#include "cli/device_link/device_link.h"
#include "cli/device_link/register_file.h"
#include "cli/explain/explain.h"
#include "cli/fatal_signals.h"
#include "cli/host_script.h"
#include "cli/inspect/inspect.h"
#include "cli/inspect/limit_errors.h"
#include "cli/inspect/statistics.h"
#include "cli/messages.h"
#include "cli/options/help.h"
#include "cli/options/library_options.h"
#include "cli/options/line_problems.h"
#include "cli/options/options.h"
#include "cli/options/suggestion.h"
#include "cli/options/threads.h"
#include "cli/save/dependency_file.h"
#include "cli/save/save_inputs.h"
#include "cli/time_file.h"
#include "cli/whole_line.h"
#include "compile/process.h"
#include "compile/ptx_compiler.h"
#include "readable_name/readable_name.h"
#include "report/limits.h"
#include "report/report.h"
#include "warpld.h"

enum { EXIT_FATAL = 1, EXIT_ERRORS = 255 };

struct command {
    struct arena arena;
    struct command_line line;
    struct readable_names names;
    struct messages messages;
    struct command_compiler compiler;
    struct call_graph_output call_graph;
    struct pass_measures measures;
    struct time_file times;
    struct limits limits;                           /* of --limit */
    GROWING_ARRAY(struct report_message, reported); /* messages, for --report */
    struct mapped_file host_file;                   /* of --nv-host */
    struct mapped_file unified_index;               /* of --uidx-file */
    GROWING_ARRAY(struct option_problem, problems); /* of the command line, until it is parsed */
    bool is_named_nvlink;                           /* the name that the program was started by */
    bool called_nvlink;   /* the same, unless --as or WARPLD_AS decides otherwise */
    bool has_lost_output; /* and this was reported */
};

static void out_of_memory(void *owner)
{
    struct messages *messages = owner;
    messages_use_text(messages);
    messages_print(messages, WARPLD_FATAL, "out-of-memory", "Out of memory");
    exit(EXIT_FATAL);
}

static void print_option_problem(struct command *command, const struct option_problem *problem)
{
    struct messages *messages = &command->messages;
    const char *suggestion = NULL;
    messages_print(messages, problem->fatal ? WARPLD_FATAL : WARPLD_WARNING, problem->code,
                   problem->text);
    if (problem->argument && !command->called_nvlink)
        suggestion = option_suggestion(&command->arena, problem->argument);
    if (suggestion)
        messages_print_note(messages, "option-suggestion", suggestion);
}

/* A -w after the arguments that cause warnings counts, too. */
static void print_option_problems(struct command *command)
{
    bool no_warnings = command_line_given(&command->line, OPTION_NO_WARNINGS);
    for (size_t i = 0; i < command->problems_count; i++)
        if (command->problems[i].fatal || !no_warnings)
            print_option_problem(command, &command->problems[i]);
}

/* Problems wait until all arguments are known, because these decide how messages are printed. */
static void take_option_problem(void *context, const struct option_problem *problem)
{
    struct command *command = context;
    *ARENA_APPEND(&command->arena, command, problems) = *problem;
}

static void note_compiled(void *context, const struct warpld_compile_request *request,
                          double milliseconds)
{
    struct command *command = context;
    time_file_add(&command->times, request, milliseconds);
}

static void note_optimised(void *context, const char *architecture, double milliseconds)
{
    struct command *command = context;
    time_file_add_optimiser(&command->times, architecture, milliseconds);
}

static bool report_fatal(struct command *command, const char *code, const char *text)
{
    messages_print(&command->messages, WARPLD_FATAL, code, text);
    return false;
}

/* Reports text that could not be written. nvlink does not notice (--help and -time to
 * /dev/full). */
static void report_lost_output(struct command *command, const char *target)
{
    if (command->called_nvlink)
        return;
    report_fatal(command, "output-lost",
                 arena_format(&command->arena, "Cannot write to %s", target));
    command->has_lost_output = true;
}

static void take_ptx_message(void *context, enum ptx_message_kind kind, const char *text,
                             size_t size)
{
    struct command *command = context;
    messages_take_ptx(&command->messages, kind, text, size);
}

static bool is_called_nvlink(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, "nvlink");
}

/* The name of the program itself, whatever --tool-name says. */
static const char *program_name(const struct command *command)
{
    return command->called_nvlink ? "nvlink" : "warpld";
}

static int exit_status(enum warpld_status status)
{
    switch (status) {
    case WARPLD_OK:
        return EXIT_SUCCESS;
    case WARPLD_ERROR_LINK:
        return EXIT_ERRORS;
    default:
        return EXIT_FATAL;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* The link                                                                                      */

/* nvlink opens no pipe and no file called "-". */
static void add_input(struct command *command, struct warpld_link *link, const char *path)
{
    struct bytes contents;
    if (!command->called_nvlink && stream_input_read(&command->arena, path, &contents))
        warpld_add_memory(link, path, contents.data, (size_t)contents.size);
    else
        warpld_add_file(link, path);
}

/* Without an input that could not be added, warpld_run fails. */
static void add_inputs(struct command *command, struct warpld_link *link)
{
    const struct command_line *line = &command->line;
    const struct option_value *libraries = &line->options[OPTION_LIBRARY];
    for (size_t i = 0; i < line->inputs_count; i++)
        add_input(command, link, line->inputs[i]);
    for (size_t i = 0; i < libraries->items_count; i++)
        warpld_add_library(link, libraries->items[i]);
}

static enum warpld_status report_unwritable(struct command *command, const char *path)
{
    report_fatal(command, "output-unwritable",
                 arena_format(&command->arena, "Could not open output file '%s'", path));
    return WARPLD_ERROR_OUTPUT;
}

/* Saves the inputs before the run, so that they are not lost if it crashes. */
static bool save(struct command *command, struct saved_link *saved)
{
    if (!command_line_given(&command->line, OPTION_SAVE_INPUTS))
        return true;
    if (save_inputs(saved)) {
        report_unwritable(command, saved->failed_path);
        return false;
    }
    if (!command->messages.no_notes)
        messages_print(&command->messages, WARPLD_NOTE, "inputs-saved",
                       arena_format(&command->arena,
                                    "Saved the inputs; run %s/link.sh to repeat this link",
                                    saved->folder));
    return true;
}

/* A failure shows when standard output is flushed. */
static enum warpld_status write_stream(struct warpld_link *link)
{
    const void *data;
    size_t size;
    enum warpld_status status = warpld_output(link, &data, &size);
    if (status == WARPLD_OK)
        fwrite(data, 1, size, stdout);
    return status;
}

static struct report report_of(struct command *command, struct warpld_link *link)
{
    const struct command_line *line = &command->line;
    return (struct report){
        .arena = &command->arena,
        .link = link,
        .names = &command->names,
        .keeps_mangled = command_line_given(line, OPTION_NO_DEMANGLE),
        .target = command_line_text(line, OPTION_ARCHITECTURE),
        .output = command_line_text(line, OPTION_OUTPUT),
        .threads = threads_of(line),
        .messages = command->reported,
        .messages_count = command->reported_count,
    };
}

/* Writes what the options that look into the link ask for. */
static enum warpld_status inspect(struct command *command, struct warpld_link *link)
{
    if (!inspection_is_wanted(&command->line))
        return WARPLD_OK;
    const struct report report = report_of(command, link);
    messages_flush(&command->messages);
    const char *unwritten = inspection_write(&command->line, &report);
    return unwritten ? report_unwritable(command, unwritten) : WARPLD_OK;
}

static void take_limit_message_of(void *context, enum warpld_severity severity, const char *code,
                                  const char *text)
{
    struct messages *messages = context;
    if (severity == WARPLD_NOTE)
        messages_print_note(messages, code, text);
    else if (severity != WARPLD_WARNING || !messages->no_warnings)
        messages_print(messages, severity, code, text);
}

static enum warpld_status check_limits(struct command *command, struct warpld_link *link)
{
    if (!command->limits.list_count)
        return WARPLD_OK;
    const struct report report = report_of(command, link);
    bool holds = limits_hold(&report, &command->limits, take_limit_message_of, &command->messages);
    return holds ? WARPLD_OK : WARPLD_ERROR_LINK;
}

/* False after a fatal message. */
static bool can_inspect(struct command *command, struct warpld_link *link)
{
    return !inspection_is_wanted(&command->line) || inspection_is_possible(link) ||
           report_fatal(command, "command-line",
                        "Options that describe the output, such as '--map', are not possible: a "
                        "compiler made all of it from LTO-IR");
}

/* Signals that end the program wait until a file is written: where the system has no nameless
 * files, a temporary one would remain. */
static enum warpld_status write_file(struct warpld_link *link, const char *path)
{
    sigset_t held, outside;
    process_hold_signals(&held, &outside);
    enum warpld_status status = warpld_write(link, path);
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    return status;
}

static enum warpld_status write_output(struct command *command, struct warpld_link *link)
{
    const char *path = command_line_text(&command->line, OPTION_OUTPUT);
    bool is_stream = !command->called_nvlink && !strcmp(path, "-");
    return is_stream ? write_stream(link) : write_file(link, path);
}

static enum warpld_status write_dependencies(struct command *command, struct warpld_link *link)
{
    const char *path = dependencies_write_for(&command->line, &command->arena, link);
    return path ? report_unwritable(command, path) : WARPLD_OK;
}

static enum warpld_status run_link(struct command *command, struct warpld_link *link)
{
    const struct command_line *line = &command->line;
    struct saved_link saved = {
        .line = line,
        .link = link,
        .host_file = command->host_file.bytes,
        .unified_index = command->unified_index.bytes,
        .called = command->called_nvlink ? "nvlink" : "warpld",
    };
    add_inputs(command, link);
    if (!save(command, &saved))
        return WARPLD_ERROR_OUTPUT;
    enum warpld_status status = warpld_run(link);
    if (saved.folder && save_inputs_of_thin_archives(&saved))
        return report_unwritable(command, saved.failed_path);
    if (status == WARPLD_OK)
        call_graph_finish(&command->call_graph);
    /* The graph may have been drawn although the link failed. */
    if (command->call_graph.is_unwritable)
        return report_unwritable(command, command->call_graph.dot_path);
    if (status != WARPLD_OK || line_has_virtual_target(line))
        return status;
    status = can_inspect(command, link) ? check_limits(command, link) : WARPLD_ERROR_OUTPUT;
    if (status == WARPLD_OK)
        status = write_output(command, link);
    if (status == WARPLD_OK)
        status = write_dependencies(command, link);
    return status == WARPLD_OK ? inspect(command, link) : status;
}

static enum warpld_status write_register_file(struct command *command,
                                              const struct warpld_link *link)
{
    const char *path = command_line_text(&command->line, OPTION_REGISTER_LINK_BINARIES);
    return path && register_file_write(&command->arena, link, path)
               ? report_unwritable(command, path)
               : WARPLD_OK;
}

static void set_up_messages(struct command *command)
{
    const struct command_line *line = &command->line;
    struct messages *messages = &command->messages;
    const char *name = command_line_text(line, OPTION_TOOL_NAME);
    const char *slash = name ? strrchr(name, '/') : NULL;
    if (name)
        messages->tool = slash ? slash + 1 : name;
    if (command_line_given(line, OPTION_REPORT_ARCH))
        messages->architecture = command_line_text(line, OPTION_ARCHITECTURE);
    messages->is_of_nvlink = command->called_nvlink;
    messages->no_notes = command_line_given(line, OPTION_NO_NOTES);
    messages->no_infos = command_line_given(line, OPTION_NO_INFOS);
    messages->no_warnings = command_line_given(line, OPTION_NO_WARNINGS);
}

static void print_trace(void *context, const struct warpld_trace_line *line)
{
    messages_flush(context);
    whole_line_write_text(line->text);
}

static void set_measures(struct command *command, struct warpld_options *options)
{
    if (!command_line_given(&command->line, OPTION_STATISTICS))
        return;
    options->pass_begins = statistics_begin_pass;
    options->pass_context = &command->measures;
}

static void print_call_graph(void *context, const struct warpld_call_graph *graph)
{
    struct command *command = context;
    messages_flush(&command->messages);
    call_graph_print(&command->call_graph, graph);
}

static void print_raised(void *context, const struct warpld_raised_registers *raised)
{
    struct command *command = context;
    messages_flush(&command->messages);
    call_graph_print_raised(&command->call_graph, raised);
}

static void set_call_graph(struct command *command, struct warpld_options *options)
{
    if (command->call_graph.dump || command->call_graph.dot_path)
        options->call_graph = print_call_graph;
    if (command->call_graph.dump)
        options->raised_registers = print_raised;
    options->call_graph_context = command;
}

static const char *copy_of(struct command *command, const char *text)
{
    return text ? arena_copy_string(&command->arena, text, strlen(text)) : NULL;
}

/* Keeps a message for --report, and shows it. */
static void keep_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct command *command = context;
    *ARENA_APPEND(&command->arena, command, reported) = (struct report_message){
        .severity = diagnostic->severity,
        .code = diagnostic->code,
        .text = copy_of(command, diagnostic->text),
        .input = copy_of(command, diagnostic->input),
        .symbol = copy_of(command, diagnostic->symbol),
    };
    messages_diagnostic(&command->messages, diagnostic);
}

static void set_diagnostics(struct command *command, struct warpld_options *options)
{
    bool keeps = command_line_given(&command->line, OPTION_REPORT);
    options->diagnostic = keeps ? keep_diagnostic : messages_diagnostic;
    options->diagnostic_context = keeps ? (void *)command : &command->messages;
}

static struct warpld_options options_of_link(struct command *command)
{
    struct warpld_options options = library_options(&command->line);
    set_diagnostics(command, &options);
    options.compile = command_compile;
    options.report_compiled = command_report_compiled;
    options.release_compiled = command_release_compiled;
    options.compile_context = &command->compiler;
    options.host_data = command->host_file.bytes.data;
    options.host_size = (size_t)command->host_file.bytes.size;
    options.unified_index = command->unified_index.bytes.data;
    options.unified_index_size = (size_t)command->unified_index.bytes.size;
    if (line_wants_lto(&command->line)) {
        options.optimise = command_optimise;
        options.release_optimised = command_release_optimised;
        options.optimise_context = &command->compiler;
    }
    options.trace_line = print_trace;
    options.trace_context = &command->messages;
    options.as_nvlink = command->called_nvlink;
    options.allow_empty = options.allow_empty || command->is_named_nvlink || command->called_nvlink;
    set_call_graph(command, &options);
    set_measures(command, &options);
    return options;
}

/* Opens the file that an option names; an empty file is an error. */
static bool open_file(struct command *command, enum option_id option, struct mapped_file *file)
{
    const char *path = command_line_text(&command->line, option);
    if (!path)
        return true;
    if (file_map(file, path))
        return report_fatal(command, "input-unreadable",
                            arena_format(&command->arena, "Could not open input file '%s'", path));
    if (file->bytes.size)
        return true;
    return report_fatal(command, "file-unusable",
                        arena_format(&command->arena, "Could not read file '%s'", path));
}

static void set_up_compiler(struct command *command)
{
    command->compiler = (struct command_compiler){
        .arena = &command->arena,
        .line = &command->line,
        .called_nvlink = command->called_nvlink,
        .job = {.message = take_ptx_message, .compiled = note_compiled, .context = command},
        .optimised = note_optimised,
    };
}

static void set_up_call_graph(struct command *command)
{
    const struct command_line *line = &command->line;
    bool mangled = command_line_given(line, OPTION_DUMP_CALLGRAPH_MANGLED);
    /* nvlink demangles names anyway, and with -r draws the graph only. */
    bool as_nvlink = command->called_nvlink;
    command->call_graph = (struct call_graph_output){
        .arena = &command->arena,
        .names = &command->names,
        .dump = (command_line_given(line, OPTION_DUMP_CALLGRAPH) || mangled) &&
                !(as_nvlink && command_line_given(line, OPTION_RELOCATABLE)),
        .mangled = mangled && !as_nvlink,
        .as_nvlink = as_nvlink,
        .dot_path = command_line_text(line, OPTION_DOT_FILE),
    };
}

static bool names_used_symbols(const struct command_line *line)
{
    return line->options[OPTION_KERNELS_USED].items_count ||
           line->options[OPTION_VARIABLES_USED].items_count;
}

/* False after a fatal message. */
static bool open_files(struct command *command)
{
    const char *times = command_line_text(&command->line, OPTION_TIME);
    if (times && !time_file_open(&command->times, times, program_name(command)))
        return report_fatal(command, "file-unusable",
                            arena_format(&command->arena, "Cannot open file '%s'", times));
    return open_file(command, OPTION_NV_HOST, &command->host_file) &&
           open_file(command, OPTION_UNIFIED_INDEX, &command->unified_index);
}

static void close_files(struct command *command)
{
    if (!time_file_close(&command->times))
        report_lost_output(command, arena_format(&command->arena, "file '%s'",
                                                 command_line_text(&command->line, OPTION_TIME)));
    file_unmap(&command->host_file);
    file_unmap(&command->unified_index);
}

static void print_statistics(struct command *command, const struct warpld_link *link)
{
    messages_flush(&command->messages);
    statistics_print(&command->measures, link, &command->compiler.counts);
}

static int link_all(struct command *command)
{
    struct warpld_options options = options_of_link(command);
    struct warpld_link *link;
    enum warpld_status status = warpld_create(&options, &link);
    if (status != WARPLD_OK)
        return exit_status(status);
    status = run_link(command, link);
    if (command_line_given(&command->line, OPTION_STATISTICS))
        print_statistics(command, link);
    bool has_linked = status == WARPLD_OK || status == WARPLD_ERROR_LINK;
    has_linked &= !command->messages.inputs_failed; /* there is no list of objects then */
    if (has_linked && write_register_file(command, link) != WARPLD_OK)
        status = WARPLD_ERROR_OUTPUT;
    warpld_destroy(link);
    return exit_status(status);
}

static int write_host_script(struct command *command)
{
    const char *problem = host_script_write(&command->line);
    return !problem || report_fatal(command, "host-script", problem) ? EXIT_SUCCESS : EXIT_FATAL;
}

/* nvlink prints this even with -disable-infos. */
static void report_ignored_host_info(struct command *command)
{
    if (command_line_given(&command->line, OPTION_USE_HOST_INFO) &&
        names_used_symbols(&command->line) &&
        (command->called_nvlink || !command->messages.no_infos))
        messages_print(&command->messages, WARPLD_INFO, "host-info-ignored",
                       "ignore -use-host-info because -kernels-used or -variables-used is "
                       "specified");
}

static const char *take_folders(struct command *command)
{
    const char *folders = getenv("LIBRARY_PATH");
    return command_line_take_folders(&command->line, folders ? folders : "");
}

/* The output must not be mixed with text. Returns NULL if it is not. */
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

/* False after a fatal message. */
static bool is_good_line(struct command *command)
{
    const char *problem = take_folders(command);
    if (!problem)
        problem = line_problem(&command->line);
    if (!problem)
        problem = limits_of_line(&command->limits, &command->line);
    if (!problem) {
        report_ignored_host_info(command);
        problem = line_problem_of_optimisation(&command->line, command->called_nvlink);
    }
    if (!problem && !command->called_nvlink)
        problem = problem_of_stdout(&command->line);
    if (!problem && inspection_is_wanted(&command->line) && line_has_virtual_target(&command->line))
        problem = "Options that describe the output, such as '--map', need a real target; the "
                  "driver links for a virtual one";
    return !problem || report_fatal(command, "command-line", problem);
}

/* The target is at the end of each line, as with -report-arch. */
static void begin_target(void *context, const char *target)
{
    struct messages *messages = &((struct command *)context)->messages;
    messages_flush(messages);
    messages->architecture = messages->target = target;
}

static void print_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    messages_diagnostic(&((struct command *)context)->messages, diagnostic);
}

static void fail(void *context, const char *code, const char *text)
{
    report_fatal(context, code, text);
}

static int link_for_host(struct command *command)
{
    struct device_link link = {
        .arena = &command->arena,
        .line = &command->line,
        .called_nvlink = command->called_nvlink,
        .names = &command->names,
        .printer = {command, print_diagnostic, take_ptx_message},
        .begin_target = begin_target,
        .fail = fail,
    };
    const char *problem = take_folders(command);
    if (!problem)
        return exit_status(device_link_run(&link));
    report_fatal(command, "command-line", problem);
    return EXIT_FATAL;
}

static int run(struct command *command)
{
    set_up_messages(command);
    fatal_signals_report(command->messages.tool);
    if (command_line_given(&command->line, OPTION_DEVICE_LINK))
        return link_for_host(command);
    if (command_line_given(&command->line, OPTION_HOST_LINKER_SCRIPT))
        return write_host_script(command);
    if (!is_good_line(command) || !open_files(command))
        return EXIT_FATAL;
    set_up_compiler(command);
    set_up_call_graph(command);
    int status = link_all(command);
    close_files(command);
    return status;
}

/* Build systems search nvlink's output for "release 13.0, V13.0.88" and take the version of the
 * toolkit from it. */
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
    report_fatal(
        command, "no-such-code",
        arena_format(&command->arena, "There is no message '%s'; --explain=all lists all", code));
    return EXIT_FATAL;
}

/* A text that says "all" in --help=all. */
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
        report_lost_output(command, "standard output");
    return command->has_lost_output ? EXIT_FATAL : status;
}

/* Decides whether the command behaves as nvlink. nvcc calls the linker by that name, so that its
 * users need another way to what only warpld does. */
static void choose_role(struct command *command)
{
    const char *role = command_line_text(&command->line, OPTION_AS);
    if (!role && command->is_named_nvlink)
        role = getenv("WARPLD_AS");
    if (role && !strcmp(role, "warpld"))
        command->called_nvlink = false;
    else if (role && !strcmp(role, "nvlink"))
        command->called_nvlink = true;
    command->messages.tool = program_name(command);
}

/* The first problem that only nvlink has is the last one of the command called nvlink, which reads
 * no further; called warpld there are none. */
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

/* Called nvlink, --help=all is refused as any value of a flag is. */
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

/* Runs the command whose arguments have been read. */
static int run_command(struct command *command)
{
    const char *path = command_line_text(&command->line, OPTION_DIAGNOSTICS_FILE);
    choose_role(command);
    settle_problems(command);
    check_help(command);
    if (!messages_choose_form(&command->messages, &command->line, command->called_nvlink)) {
        messages_use_text(&command->messages);
        report_fatal(command, "file-unusable",
                     arena_format(&command->arena, "Cannot open file '%s'", path));
        return EXIT_FATAL;
    }
    print_option_problems(command);
    int status = has_fatal_problem(command) ? EXIT_FATAL : help_or_run(command);
    if (messages_finish(&command->messages, status))
        return status;
    messages_use_text(&command->messages);
    report_lost_output(command, arena_format(&command->arena, "file '%s'", path));
    return EXIT_FATAL;
}

int main(int argc, char **argv)
{
    struct command command = {.is_named_nvlink = argc && is_called_nvlink(argv[0])};
    command.called_nvlink = command.is_named_nvlink;
    command.messages.tool = program_name(&command);
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
