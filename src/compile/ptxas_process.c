/* Compiles PTX with ptxas as a process; see ptxas_process.h.
 *
 * Each text is compiled in its own folder inside a private temporary folder, several at once. No
 * shell is involved. Signals that end this program are blocked in the calling thread until the
 * folders are removed; when one arrives, the compilers are killed. */
#include "compile/ptxas_process.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "compile/batch.h"
#include "compile/process.h"
#include "compile/ptxas_messages.h"
#include "compile/ptxas_options.h"
#include "compile/temporary_folder.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* Running ptxas                                                                                 */

/* Returns 0 or an errno value. */
static int write_source(struct ptx_batch *batch, struct compilation *compilation, size_t index)
{
    const struct warpld_compile_request *request = compilation->request;
    const char *name = arena_format(&batch->arena, "%zu", index);
    int error = temporary_folder_add(&batch->folder, name);
    if (error)
        return error;
    compilation->folder = arena_format(&batch->arena, "%s/%s", batch->folder.path, name);
    const char *path = arena_format(&batch->arena, "%s/%s", compilation->folder, PTXAS_SOURCE);
    struct bytes text = {(const uint8_t *)request->ptx, request->ptx_size};
    return file_replace(path, text);
}

/* With -g, ptxas records the names of its files in the output. nvlink's built-in compiler has no
 * files. So with -g the text is passed as an argument instead of a file, if it is short enough. */
const char **ptxas_process_command_line(struct ptx_batch *batch,
                                        const struct compilation *compilation)
{
    enum { LONGEST_ARGUMENT = 128 * 1024 - 1 }; /* limit of Linux, without the NUL */
    const struct warpld_compile_request *request = compilation->request;
    struct arena *arena = &batch->arena;
    bool is_argument = compilation->is_for_debugging && request->ptx_size <= LONGEST_ARGUMENT;
    struct argument_list list = {.arguments = NULL};
    *ARENA_APPEND(arena, &list, arguments) = batch->choice->program;
    if (batch->choice->library)
        *ARENA_APPEND(arena, &list, arguments) = batch->choice->library;
    for (const char *const *argument = compilation->arguments; *argument; argument++)
        *ARENA_APPEND(arena, &list, arguments) = *argument;
    if (is_argument)
        *ARENA_APPEND(arena, &list, arguments) = "--input-as-string";
    *ARENA_APPEND(arena, &list, arguments) =
        is_argument ? arena_copy_string(arena, request->ptx, request->ptx_size) : PTXAS_SOURCE;
    *ARENA_APPEND(arena, &list, arguments) = NULL;
    return list.arguments;
}

static bool start(struct ptx_batch *batch, size_t index)
{
    struct compilation *compilation = batch->pending[index];
    const char **arguments = ptxas_process_command_line(batch, compilation);
    struct process_plan plan = {.arguments = arguments, .messages = PTXAS_MESSAGES};
    const char *failed = "write the PTX for";
    int error = write_source(batch, compilation, index);
    if (!error) {
        failed = "run";
        plan.folder = compilation->folder;
        error = process_start(&plan, &compilation->process);
    }
    compilation->runs = !error;
    if (error)
        compilation->problem = arena_format(&batch->arena, "Could not %s '%s': %s", failed,
                                            batch->choice->program, strerror(error));
    return !error;
}

void ptxas_process_keep_fault(struct ptx_batch *batch, struct compilation *compilation,
                              const struct process_result *result)
{
    const struct process_watch watch = {.seconds = batch->job->compiler_seconds};
    const char *fault = process_fault(&batch->arena, result, &watch);
    if (fault)
        compilation->problem =
            arena_format(&batch->arena, "'%s' %s, compiling the PTX of '%s'",
                         batch->choice->program, fault, compilation->request->name);
}

static void wait_for(struct ptx_batch *batch, struct compilation *compilation)
{
    if (!compilation->runs)
        return;
    const struct process_watch watch = {
        batch->job->compiler_seconds, &batch->folder.held,
        arena_format(&batch->arena, "%s/%s", compilation->folder, PTXAS_MESSAGES)};
    struct process_result result = process_wait(compilation->process, &watch);
    compilation->runs = false;
    compilation->succeeded = result.end == PROCESS_SUCCEEDED;
    compilation->milliseconds = result.milliseconds;
    ptxas_process_keep_fault(batch, compilation, &result);
}

static void wait_for_all(struct ptx_batch *batch)
{
    for (size_t i = 0; i < batch->pending_count; i++)
        wait_for(batch, batch->pending[i]);
}

static void run_all(struct ptx_batch *batch, size_t at_once)
{
    for (size_t i = 0; i < batch->pending_count; i++) {
        if (i >= at_once)
            wait_for(batch, batch->pending[i - at_once]);
        if (!start(batch, i))
            break;
    }
    wait_for_all(batch);
}

/* --------------------------------------------------------------------------------------------- */
/* Results                                                                                       */

/* Passes a copy of the compiled code to the batch, because ptxas_process_compile removes the
 * file. */
static void take_output(struct ptx_batch *batch, const struct compilation *compilation)
{
    struct mapped_file file;
    if (!compilation->succeeded ||
        file_map(&file, arena_format(&batch->arena, "%s/%s", compilation->folder, PTXAS_OUTPUT)))
        return;
    batch_take_cubin(compilation, file.bytes);
    file_unmap(&file);
}

/* Copies the messages, because their file is removed, like that of the code. arena_try_alloc does
 * not jump when memory runs out, so the file is always unmapped. */
static void take_messages(struct ptx_batch *batch, struct compilation *compilation)
{
    struct mapped_file file;
    if (!compilation->folder ||
        file_map(&file, arena_format(&batch->arena, "%s/%s", compilation->folder, PTXAS_MESSAGES)))
        return;
    uint8_t *copy = arena_try_alloc(&batch->arena, ptxas_messages_copied_size(file.bytes));
    if (copy)
        compilation->messages = ptxas_messages_copy_to(copy, file.bytes);
    file_unmap(&file);
    if (!copy)
        arena_give_up(&batch->arena);
}

static void report_no_folder(struct ptx_batch *batch, int error)
{
    if (!batch->folder.path)
        arena_give_up(&batch->arena);
    batch_report(batch, PTX_MESSAGE_ERROR,
                 arena_format(&batch->arena, "Could not create the temporary folder '%s': %s",
                              batch->folder.path, strerror(error)));
}

void ptxas_process_clean(struct ptx_batch *batch)
{
    if (!batch->has_folder)
        return;
    wait_for_all(batch);
    temporary_folder_remove(&batch->folder);
    batch->has_folder = false;
}

bool ptxas_process_compile(struct ptx_batch *batch, const struct ptx_compiler_settings *settings)
{
    static const char *const NAMES[] = {PTXAS_SOURCE, PTXAS_OUTPUT, PTXAS_MESSAGES, NULL};
    int error = temporary_folder_create(&batch->folder, settings->temporary_folder);
    batch->has_folder = true;
    batch->folder.names = NAMES;
    if (error) {
        report_no_folder(batch, error);
    } else {
        run_all(batch, settings->threads ? settings->threads : 1);
        for (size_t i = 0; i < batch->pending_count; i++) {
            take_messages(batch, batch->pending[i]);
            take_output(batch, batch->pending[i]);
        }
    }
    ptxas_process_clean(batch);
    return !error;
}
