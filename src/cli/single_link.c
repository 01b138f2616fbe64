/* Runs the command's link for one target; see single_link.h. */
#include "cli/single_link.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/stream_input.h"
#include "base/terminal_text.h"
#include "cli/call_graph.h"
#include "cli/compile/compiler.h"
#include "cli/device_link/register_file.h"
#include "cli/inspect/inspect.h"
#include "cli/inspect/limit_errors.h"
#include "cli/inspect/statistics.h"
#include "cli/messages.h"
#include "cli/options/library_options.h"
#include "cli/options/line_problems.h"
#include "cli/options/options.h"
#include "cli/save/dependency_file.h"
#include "cli/save/save_inputs.h"
#include "cli/time_file.h"
#include "cli/whole_line.h"
#include "compile/process.h"
#include "compile/ptx_compiler.h"
#include "format/recognise/stream_limit.h"
#include "report/limits.h"
#include "report/report.h"

struct link_run {
    struct command *command;
    struct arena *arena;
    const struct command_line *line;
    struct messages *messages;
    struct warpld_link *link; /* NULL until it is created */
    struct command_compiler compiler;
    struct call_graph_output call_graph;
    struct pass_measures measures;
    struct time_file times;
    GROWING_ARRAY(struct report_message, reported); /* messages, for --report */
    struct mapped_file host_file;                   /* the file of --nv-host */
    struct mapped_file unified_index;               /* the file of --uidx-file */
};

/* --------------------------------------------------------------------------------------------- */
/* Inputs and outputs                                                                            */

/* Adds an input. Returns false after a fatal message. Pipes and standard input ("-") are read here,
 * but not if the command behaves as nvlink, because nvlink does not read them either. */
static bool add_input(struct link_run *run, const char *path)
{
    struct stream_input stream;
    if (run->command->called_nvlink ||
        !stream_input_read(run->arena, path, stream_refusal, &stream))
        warpld_add_file(run->link, path);
    else if (stream.refusal)
        return command_fail(run->command, "stream-refused",
                            stream_input_problem(run->arena, path, &stream));
    else
        warpld_add_memory(run->link, path, stream.contents.data, (size_t)stream.contents.size);
    return true;
}

/* Adds the inputs and libraries of the command line. Returns false after a fatal message. An input
 * that the library cannot add causes no message here, but makes warpld_run fail. */
static bool add_inputs(struct link_run *run)
{
    const struct command_line *line = run->line;
    const struct option_value *libraries = &line->options[OPTION_LIBRARY];
    for (size_t i = 0; i < line->inputs_count; i++)
        if (!add_input(run, line->inputs[i]))
            return false;
    for (size_t i = 0; i < libraries->items_count; i++)
        warpld_add_library(run->link, libraries->items[i]);
    return true;
}

/* Saves the inputs for --save-inputs. This happens before the link runs, so that the inputs are
 * saved even if the link crashes. Returns false after a fatal message. */
static bool save(struct link_run *run, struct saved_link *saved)
{
    if (!command_line_given(run->line, OPTION_SAVE_INPUTS))
        return true;
    if (save_inputs(saved)) {
        command_fail_to_write(run->command, saved->failed_path);
        return false;
    }
    const char *text = arena_format(
        run->arena, "Saved the inputs; run %s/link.sh to repeat this link", saved->folder);
    if (!run->messages->no_notes)
        messages_print(run->messages, WARPLD_NOTE, "inputs-saved",
                       terminal_text_show(run->arena, text));
    return true;
}

/* Writes the output to standard output. A write error is reported at the end of the command, when
 * standard output is flushed. */
static enum warpld_status write_stream(struct warpld_link *link)
{
    const void *data;
    size_t size;
    enum warpld_status status = warpld_output(link, &data, &size);
    if (status == WARPLD_OK)
        fwrite(data, 1, size, stdout);
    return status;
}

static struct report report_of(const struct link_run *run)
{
    struct report report =
        inspection_report(run->line, run->arena, run->link, &run->command->names);
    report.messages = run->reported;
    report.messages_count = run->reported_count;
    return report;
}

/* Writes the maps, reports and texts that describe the link, if options request them. */
static enum warpld_status inspect(struct link_run *run)
{
    if (!inspection_is_wanted(run->line))
        return WARPLD_OK;
    const struct report report = report_of(run);
    messages_flush(run->messages);
    const char *unwritten = inspection_write(run->line, &report);
    return unwritten ? command_fail_to_write(run->command, unwritten) : WARPLD_OK;
}

static enum warpld_status check_limits(struct link_run *run)
{
    struct limits *limits = &run->command->limits;
    if (!limits->list_count)
        return WARPLD_OK;
    const struct report report = report_of(run);
    bool holds = limits_hold(&report, limits, messages_diagnostic, run->messages);
    return holds ? WARPLD_OK : WARPLD_ERROR_LINK;
}

/* Returns false after a fatal message. */
static bool can_inspect(struct link_run *run)
{
    return !inspection_is_wanted(run->line) || inspection_is_possible(run->link) ||
           command_fail(run->command, "command-line",
                        "Options that describe the output, such as '--map', are not possible: a "
                        "compiler made all of it from LTO-IR");
}

/* Writes the output to a file. Signals that end the program are held until the file is written. If
 * the file system does not support O_TMPFILE, the output is first a temporary file with a name,
 * which would remain after a signal. */
static enum warpld_status write_file(struct warpld_link *link, const char *path)
{
    sigset_t held, outside;
    process_hold_signals(&held, &outside);
    enum warpld_status status = warpld_write(link, path);
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    return status;
}

static enum warpld_status write_output(struct link_run *run)
{
    const char *path = command_line_text(run->line, OPTION_OUTPUT);
    bool is_stream = !run->command->called_nvlink && !strcmp(path, "-");
    return is_stream ? write_stream(run->link) : write_file(run->link, path);
}

static enum warpld_status write_dependencies(struct link_run *run)
{
    const char *path = dependencies_write_for(run->line, run->arena, run->link);
    return path ? command_fail_to_write(run->command, path) : WARPLD_OK;
}

static enum warpld_status run_link(struct link_run *run)
{
    const struct command_line *line = run->line;
    struct saved_link saved = {
        .line = line,
        .link = run->link,
        .host_file = run->host_file.bytes,
        .unified_index = run->unified_index.bytes,
        .called = run->command->called_nvlink ? "nvlink" : "warpld",
    };
    if (!add_inputs(run))
        return WARPLD_ERROR_FATAL;
    if (!save(run, &saved))
        return WARPLD_ERROR_OUTPUT;
    enum warpld_status status = warpld_run(run->link);
    if (saved.folder && save_inputs_of_thin_archives(&saved))
        return command_fail_to_write(run->command, saved.failed_path);
    if (status == WARPLD_OK)
        call_graph_finish(&run->call_graph);
    /* The library reports the call graph even if the link fails afterwards, so this check precedes
     * that of `status`. */
    if (run->call_graph.is_unwritable)
        return command_fail_to_write(run->command, run->call_graph.dot_path);
    if (status != WARPLD_OK || line_has_virtual_target(line))
        return status;
    status = can_inspect(run) ? check_limits(run) : WARPLD_ERROR_OUTPUT;
    if (status == WARPLD_OK)
        status = write_output(run);
    if (status == WARPLD_OK)
        status = write_dependencies(run);
    return status == WARPLD_OK ? inspect(run) : status;
}

static enum warpld_status write_register_file(struct link_run *run)
{
    const char *path = command_line_text(run->line, OPTION_REGISTER_LINK_BINARIES);
    return path && register_file_write(run->arena, run->link, path)
               ? command_fail_to_write(run->command, path)
               : WARPLD_OK;
}

/* --------------------------------------------------------------------------------------------- */
/* Options of the link                                                                           */

static void print_trace(void *context, const struct warpld_trace_line *line)
{
    messages_flush(context);
    whole_line_write_text(line->text);
}

static void set_measures(struct link_run *run, struct warpld_options *options)
{
    if (!command_line_given(run->line, OPTION_STATISTICS))
        return;
    options->pass_begins = statistics_begin_pass;
    options->pass_context = &run->measures;
}

static void print_call_graph(void *context, const struct warpld_call_graph *graph)
{
    struct link_run *run = context;
    messages_flush(run->messages);
    call_graph_print(&run->call_graph, graph);
}

static void print_raised(void *context, const struct warpld_raised_registers *raised)
{
    struct link_run *run = context;
    messages_flush(run->messages);
    call_graph_print_raised(&run->call_graph, raised);
}

static void set_call_graph(struct link_run *run, struct warpld_options *options)
{
    if (run->call_graph.dump || run->call_graph.dot_path)
        options->call_graph = print_call_graph;
    if (run->call_graph.dump)
        options->raised_registers = print_raised;
    options->call_graph_context = run;
}

static const char *copy_of(struct link_run *run, const char *text)
{
    return text ? arena_copy_string(run->arena, text, strlen(text)) : NULL;
}

/* Stores a copy of a message for --report, and prints the message. */
static void keep_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct link_run *run = context;
    struct report_message message = report_message_of(diagnostic);
    message.text = copy_of(run, message.text);
    message.input = copy_of(run, message.input);
    message.symbol = copy_of(run, message.symbol);
    *ARENA_APPEND(run->arena, run, reported) = message;
    messages_diagnostic(run->messages, diagnostic);
}

static void set_diagnostics(struct link_run *run, struct warpld_options *options)
{
    bool keeps = command_line_given(run->line, OPTION_REPORT);
    options->diagnostic = keeps ? keep_diagnostic : messages_diagnostic;
    options->diagnostic_context = keeps ? (void *)run : run->messages;
}

static struct warpld_options options_of_link(struct link_run *run)
{
    const struct command *command = run->command;
    struct warpld_options options = library_options(run->line);
    set_diagnostics(run, &options);
    command_compiler_serve(&run->compiler, &options);
    options.host_data = run->host_file.bytes.data;
    options.host_size = (size_t)run->host_file.bytes.size;
    options.unified_index = run->unified_index.bytes.data;
    options.unified_index_size = (size_t)run->unified_index.bytes.size;
    options.trace_line = print_trace;
    options.trace_context = run->messages;
    options.as_nvlink = command->called_nvlink;
    options.allow_empty |= command->is_named_nvlink || command->called_nvlink;
    set_call_graph(run, &options);
    set_measures(run, &options);
    return options;
}

/* --------------------------------------------------------------------------------------------- */
/* The run                                                                                       */

/* Opens the file that an option names, if the option is given. An empty file is an error. Returns
 * false after a fatal message. */
static bool open_file(struct link_run *run, enum option_id option, struct mapped_file *file)
{
    const char *path = command_line_text(run->line, option);
    if (!path)
        return true;
    if (file_map(file, path))
        return command_fail(run->command, "input-unreadable",
                            arena_format(run->arena, "Could not open input file '%s'", path));
    if (file->bytes.size)
        return true;
    return command_fail(run->command, "file-unusable",
                        arena_format(run->arena, "Could not read file '%s'", path));
}

static void note_compiled(void *context, const struct warpld_compile_request *request,
                          double milliseconds)
{
    struct link_run *run = context;
    time_file_add(&run->times, request, milliseconds);
}

static void note_optimised(void *context, const char *architecture, double milliseconds)
{
    struct link_run *run = context;
    time_file_add_optimiser(&run->times, architecture, milliseconds);
}

static void take_ptx_message(void *context, enum ptx_message_kind kind, const char *text,
                             size_t size)
{
    struct link_run *run = context;
    messages_take_ptx(run->messages, kind, text, size);
}

static void set_up_compiler(struct link_run *run)
{
    run->compiler = (struct command_compiler){
        .arena = run->arena,
        .line = run->line,
        .called_nvlink = run->command->called_nvlink,
        .remote = run->command->remote,
        .job = {.message = take_ptx_message, .compiled = note_compiled, .context = run},
        .optimised = note_optimised,
    };
}

static void set_up_call_graph(struct link_run *run)
{
    const struct command_line *line = run->line;
    bool mangled = command_line_given(line, OPTION_DUMP_CALLGRAPH_MANGLED);
    /* nvlink prints readable names even with --dump-callgraph-no-demangle. With -r it writes only
     * the file of --dot-file. */
    bool as_nvlink = run->command->called_nvlink;
    run->call_graph = (struct call_graph_output){
        .arena = run->arena,
        .names = &run->command->names,
        .dump = (command_line_given(line, OPTION_DUMP_CALLGRAPH) || mangled) &&
                !(as_nvlink && command_line_given(line, OPTION_RELOCATABLE)),
        .mangled = mangled && !as_nvlink,
        .as_nvlink = as_nvlink,
        .dot_path = command_line_text(line, OPTION_DOT_FILE),
    };
}

/* Returns false after a fatal message. */
static bool open_files(struct link_run *run)
{
    const char *times = command_line_text(run->line, OPTION_TIME);
    if (times && !time_file_open(&run->times, times, command_name(run->command)))
        return command_fail(run->command, "file-unusable",
                            arena_format(run->arena, "Cannot open file '%s'", times));
    return open_file(run, OPTION_NV_HOST, &run->host_file) &&
           open_file(run, OPTION_UNIFIED_INDEX, &run->unified_index);
}

static void close_files(struct link_run *run)
{
    if (!time_file_close(&run->times))
        command_report_lost_output(
            run->command,
            arena_format(run->arena, "file '%s'", command_line_text(run->line, OPTION_TIME)));
    file_unmap(&run->host_file);
    file_unmap(&run->unified_index);
}

static void print_statistics(struct link_run *run)
{
    messages_flush(run->messages);
    statistics_print(&run->measures, run->link, &run->compiler.counts);
}

/* Whether the link has a list of linked objects for the file of --register-link-binaries. */
static bool has_objects(const struct link_run *run, enum warpld_status status)
{
    return (status == WARPLD_OK || status == WARPLD_ERROR_LINK) && !run->messages->inputs_failed;
}

static enum warpld_status link_all(struct link_run *run)
{
    struct warpld_options options = options_of_link(run);
    enum warpld_status status = warpld_create(&options, &run->link);
    if (status != WARPLD_OK)
        return status;
    status = run_link(run);
    if (command_line_given(run->line, OPTION_STATISTICS))
        print_statistics(run);
    if (has_objects(run, status) && write_register_file(run) != WARPLD_OK)
        status = WARPLD_ERROR_OUTPUT;
    warpld_destroy(run->link);
    command_compiler_end(&run->compiler);
    return status;
}

enum warpld_status single_link_run(struct command *command)
{
    struct link_run run = {
        .command = command,
        .arena = &command->arena,
        .line = &command->line,
        .messages = &command->messages,
    };
    enum warpld_status status = WARPLD_ERROR_FATAL;
    if (open_files(&run)) {
        set_up_compiler(&run);
        set_up_call_graph(&run);
        status = link_all(&run);
    }
    close_files(&run);
    return status;
}
