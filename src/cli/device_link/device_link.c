/* Links a program for all its targets; see device_link.h. The inputs are read once and shared. */
#include "cli/device_link/device_link.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "base/stream_input.h"
#include "cli/compile/ptx.h"
#include "cli/device_link/device_output.h"
#include "cli/device_link/target_inspection.h"
#include "cli/device_link/target_link.h"
#include "cli/device_link/targets.h"
#include "cli/inspect/limit_errors.h"
#include "cli/options/line_problems.h"
#include "cli/options/threads.h"
#include "compile/process.h"
#include "format/recognise/stream_limit.h"
#include "report/limits.h"

/* Options that --device-link refuses, because they concern a single link. */
static const enum option_id REFUSED[] = {
    OPTION_RELOCATABLE,
    OPTION_EMIT_PTX,
    OPTION_SAVE_INPUTS,
    OPTION_TRACE,
    OPTION_DUMP_CALLGRAPH,
    OPTION_DUMP_CALLGRAPH_MANGLED,
    OPTION_DOT_FILE,
    OPTION_TIME,
    OPTION_NV_HOST,
    OPTION_UNIFIED_INDEX,
    OPTION_HOST_LINKER_SCRIPT,
    OPTION_REGISTER_LINK_BINARIES,
};

static const char *problem_of(const struct device_link *link, const struct targets *targets)
{
    const struct command_line *line = link->line;
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
        if (command_line_given(line, REFUSED[i]))
            return arena_format(link->arena, "Conflicting options '--device-link' and '--%s'",
                                option_long_name(REFUSED[i]));
    if (!line->inputs_count)
        return "No input files specified; use option --help for more information";
    const char *problem = device_output_problem(line, targets->names_count);
    return problem ? problem : target_inspection_problem(line, targets->names_count);
}

/* --------------------------------------------------------------------------------------------- */
/* The links                                                                                     */

/* Adds an input to the library. Returns false after a fatal message. A file that cannot be read
 * causes no message here, because the links report it. */
static bool add_input(const struct device_link *link, struct warpld_library *library,
                      const char *path)
{
    struct stream_input stream = {.refusal = NULL};
    if (link->called_nvlink || !stream_input_read(link->arena, path, stream_refusal, &stream))
        warpld_library_add_file(library, path);
    else if (!stream.refusal)
        warpld_library_add_memory(library, path, stream.contents.data,
                                  (size_t)stream.contents.size);
    else
        link->fail(link->printer.context, "stream-refused",
                   stream_input_problem(link->arena, path, &stream));
    return !stream.refusal;
}

/* Returns NULL after a fatal message. */
static struct warpld_library *read_inputs(const struct device_link *link)
{
    struct warpld_library *library;
    if (warpld_library_create(&library) != WARPLD_OK)
        link->arena->out_of_memory(link->arena->owner);
    for (size_t i = 0; i < link->line->inputs_count; i++)
        if (!add_input(link, library, link->line->inputs[i])) {
            warpld_library_destroy(library);
            return NULL;
        }
    return library;
}

/* Runs the links at the same time. Signals that end the program are held until all links have
 * ended. Otherwise one link could end the program after removing its own files, while files of
 * other links' compilers remain. Signals are not held if a library in this process compiles the PTX
 * and neither a remote cache nor link-time optimisation is used: such a compiler cannot be stopped
 * and has no files. */
static void run_links(const struct device_link *link, const struct target_link *targets,
                      struct warpld_link *const *links, enum warpld_status *statuses, size_t count)
{
    sigset_t held, outside;
    bool waits = command_compiles_with_ptxas(&targets[0].compiler) || link->remote ||
                 line_wants_lto(link->line);
    if (waits)
        process_hold_signals(&held, &outside);
    warpld_run_all(links, statuses, count, threads_of(link->line));
    if (waits)
        pthread_sigmask(SIG_SETMASK, &outside, NULL);
}

/* Creates and runs the links of all targets, and releases the inputs. */
static void run_all(const struct device_link *link, struct warpld_library *inputs,
                    struct target_link *targets, size_t count)
{
    struct warpld_link **links = ARENA_ARRAY(link->arena, struct warpld_link *, count);
    enum warpld_status *statuses = ARENA_ARRAY(link->arena, enum warpld_status, count);
    for (size_t i = 0; i < count; i++) {
        target_link_add(&targets[i], inputs);
        links[i] = targets[i].link;
    }
    warpld_library_destroy(inputs);
    run_links(link, targets, links, statuses, count);
    for (size_t i = 0; i < count; i++)
        if (links[i])
            target_link_finish(&targets[i], statuses[i]);
}

static struct target_link *start_all(const struct device_link *link, const struct targets *targets)
{
    size_t count = targets->names_count;
    struct target_link *links = ARENA_ARRAY(link->arena, struct target_link, count);
    unsigned threads = threads_of(link->line) / (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        arena_init(&links[i].arena, link->arena->out_of_memory, link->arena->owner);
        target_link_start(&links[i], link, targets->names[i], threads ? threads : 1);
        target_inspection_name_files(&links[i]);
    }
    return links;
}

/* Prints messages and checks limits, target by target. Each message is printed with the name of its
 * target. Returns the worst status of all targets. */
static enum warpld_status print_messages(const struct device_link *link, struct limits *limits,
                                         struct target_link *targets, size_t count)
{
    enum warpld_status worst = WARPLD_OK;
    for (size_t i = 0; i < count; i++) {
        const char *name = command_line_text(&targets[i].line, OPTION_ARCHITECTURE);
        link->begin_target(link->printer.context, name);
        target_messages_print(&targets[i].messages, &link->printer);
        if (targets[i].status == WARPLD_OK &&
            !target_limits_hold(&targets[i], limits, link->names, &link->printer))
            targets[i].status = WARPLD_ERROR_LINK;
        if (worst == WARPLD_OK || worst == WARPLD_ERROR_LINK)
            worst = targets[i].status != WARPLD_OK ? targets[i].status : worst;
    }
    link->begin_target(link->printer.context, NULL);
    return worst;
}

static enum warpld_status write_output(const struct device_link *link, struct target_link *targets,
                                       size_t count)
{
    const char *unwritten = device_output_write(link, targets, count);
    for (size_t i = 0; i < count && !unwritten; i++)
        unwritten = target_describe(&targets[i], link->names);
    if (!unwritten)
        return WARPLD_OK;
    link->fail(link->printer.context, "output-unwritable",
               arena_format(link->arena, "Could not open output file '%s'", unwritten));
    return WARPLD_ERROR_OUTPUT;
}

enum warpld_status device_link_run(const struct device_link *link)
{
    struct targets targets;
    struct limits limits = {.list = NULL};
    const char *problem = targets_read(&targets, link->line);
    if (!problem)
        problem = problem_of(link, &targets);
    if (!problem)
        problem = limits_of_line(&limits, link->line);
    if (problem) {
        link->fail(link->printer.context, "command-line", problem);
        return WARPLD_ERROR_FATAL;
    }
    struct warpld_library *inputs = read_inputs(link);
    if (!inputs)
        return WARPLD_ERROR_FATAL;
    struct target_link *links = start_all(link, &targets);
    run_all(link, inputs, links, targets.names_count);
    enum warpld_status status = print_messages(link, &limits, links, targets.names_count);
    if (status == WARPLD_OK)
        status = write_output(link, links, targets.names_count);
    for (size_t i = 0; i < targets.names_count; i++)
        target_link_end(&links[i]);
    return status;
}
