/* Starts ptxas for a text that a link is going to make, before the text is known; see
 * ptx_job_expect in ptx_compiler.h.
 *
 * This early start only saves time: results and messages are those of a ptxas that starts when the
 * text is known. If the early run of ptxas fails, its messages are discarded; ptx_job_compile then
 * compiles the text again with ptxas_process_compile, and reports the messages of the second run.
 * There is no second run if the first one took too long or printed too much. */
#include "compile/expected_text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/copied_string.h"
#include "compile/process.h"
#include "compile/ptx_compiler.h"
#include "compile/ptxas_messages.h"
#include "compile/ptxas_process.h"
#include "compile/temporary_folder.h"
#include "compile/waiting_ptxas.h"
#include "warpld.h"

struct expected_text {
    struct ptx_batch batch; /* of a single compilation */
    struct compilation compilation;
    struct warpld_compile_request request;
    struct warpld_compile_result nothing;
    const char **command_line;
    struct waiting_ptxas ptxas;
    bool is_prepared; /* `ptxas` has a folder, which must be removed */

    /* The text that was compiled, and the results; from malloc. */
    char *ptx;
    struct process_result end;
    char *cubin, *messages;
    size_t cubin_size, messages_size;
};

/* --------------------------------------------------------------------------------------------- */
/* Before the text is known                                                                      */

/* Sets the command line. Returns false if the text will not be compiled by a ptxas that reads it
 * from a file. */
static bool plan(struct expected_text *expected, const struct warpld_compile_request *request)
{
    struct ptx_batch *batch = &expected->batch;
    struct compilation *compilation = &expected->compilation;
    arena_init(&batch->arena, arena_jump, &batch->out_of_memory);
    if (setjmp(batch->out_of_memory))
        return false;
    expected->request = *request;
    compilation->request = &expected->request;
    compilation->result = &expected->nothing;
    batch_set_arguments(batch, compilation);
    if (compilation->is_for_debugging || batch_choose(batch) || !batch->choice->program ||
        batch->choice->library)
        return false;
    expected->command_line = ptxas_process_command_line(batch, compilation);
    return true;
}

void ptx_job_expect(struct ptx_job *job, const struct warpld_compile_request *request)
{
    struct expected_text *expected = job->compiler ? calloc(1, sizeof *expected) : NULL;
    if (!expected)
        return;
    job->expected = expected;
    expected->batch.job = job;
    if (!plan(expected, request))
        return;
    expected->is_prepared = true;
    if (!waiting_ptxas_prepare(&expected->ptxas, ptx_compiler_temporary(job->compiler)))
        expected->command_line = NULL;
}

void ptx_job_start_expected(void *job)
{
    struct expected_text *expected = ((struct ptx_job *)job)->expected;
    if (expected && expected->command_line && !expected->ptxas.runs)
        waiting_ptxas_start(&expected->ptxas, expected->command_line);
}

/* --------------------------------------------------------------------------------------------- */
/* When the text is known                                                                        */

static void take_files(struct expected_text *expected)
{
    const char *folder = expected->ptxas.folder.path;
    expected->messages = temporary_folder_read(folder, PTXAS_MESSAGES, &expected->messages_size);
    if (expected->end.end == PROCESS_SUCCEEDED)
        expected->cubin = temporary_folder_read(folder, PTXAS_OUTPUT, &expected->cubin_size);
}

void ptx_job_compile_expected(struct ptx_job *job, const char *ptx, size_t size)
{
    struct expected_text *expected = job->expected;
    if (!expected || !expected->is_prepared)
        return;
    struct bytes text = {(const uint8_t *)ptx, size};
    struct waiting_ptxas *ptxas = &expected->ptxas;
    expected->request.ptx_size = size;
    expected->ptx = ptx && ptxas->runs ? copied_string(text) : NULL;
    if (expected->ptx && waiting_ptxas_give(ptxas, text)) {
        expected->end = waiting_ptxas_wait(ptxas, job->compiler_seconds);
        take_files(expected);
    }
    waiting_ptxas_end(ptxas);
    expected->is_prepared = false;
}

void ptx_job_forget_expected(struct ptx_job *job)
{
    struct expected_text *expected = job->expected;
    if (!expected)
        return;
    if (expected->is_prepared)
        waiting_ptxas_end(&expected->ptxas);
    arena_destroy(&expected->batch.arena);
    free(expected->ptx);
    free(expected->cubin);
    free(expected->messages);
    free(expected);
    job->expected = NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* When the batch with the text is compiled                                                      */

static bool has_arguments(const struct compilation *compilation, const char *const *others)
{
    const char *const *arguments = compilation->arguments;
    while (*arguments && *others && !strcmp(*arguments, *others)) {
        arguments++;
        others++;
    }
    return !*arguments && !*others;
}

static bool is_expected(const struct ptx_batch *batch, const struct expected_text *expected)
{
    const struct compilation *compilation = batch->pending[0];
    const struct warpld_compile_request *request = compilation->request;
    return batch->pending_count == 1 &&
           has_arguments(compilation, expected->compilation.arguments) &&
           request->ptx_size == expected->request.ptx_size &&
           !memcmp(request->ptx, expected->ptx, request->ptx_size);
}

bool expected_text_take(struct ptx_batch *batch)
{
    const struct expected_text *expected = batch->job->expected;
    if (!expected || !expected->messages || !is_expected(batch, expected))
        return false;
    struct compilation *compilation = batch->pending[0];
    enum process_end end = expected->end.end;
    if (!expected->cubin && end != PROCESS_TIMED_OUT && end != PROCESS_PRINTED_TOO_MUCH)
        return false;
    struct bytes messages = {(const uint8_t *)expected->messages, expected->messages_size};
    uint8_t *copy = arena_alloc(&batch->arena, ptxas_messages_copied_size(messages));
    compilation->messages = ptxas_messages_copy_to(copy, messages);
    compilation->milliseconds = expected->end.milliseconds;
    ptxas_process_keep_fault(batch, compilation, &expected->end);
    if (!expected->cubin)
        return true;
    compilation->succeeded = true;
    batch_take_cubin(compilation,
                     (struct bytes){(const uint8_t *)expected->cubin, expected->cubin_size});
    return true;
}
