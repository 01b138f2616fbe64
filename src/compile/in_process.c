/* Compiles PTX with a library that is loaded into this program; see in_process.h.
 *
 * An arena serves a single thread. So the threads that compile put their results into memory from
 * malloc, and the batch takes them over when all threads have ended. */
#include "compile/in_process.h"

#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/parallel.h"
#include "compile/compiler_choice.h"
#include "compile/ptx_plugin.h"
#include "compile/ptxas_messages.h"
#include "warpld.h"

struct work {
    struct ptx_batch *batch;
    const struct ptx_plugin_loader *loader;
    struct in_process_result {
        struct plugin_output output;
        bool has_memory;
    } * results;
};

/* CPU time of the calling thread. */
static double milliseconds_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void compile_one(void *context, unsigned worker, size_t index)
{
    const struct work *work = context;
    struct compilation *compilation = work->batch->pending[index];
    const struct warpld_compile_request *request = compilation->request;
    struct in_process_result *result = &work->results[index];
    double start = milliseconds_now();
    (void)worker;
    result->has_memory =
        work->loader->compile(work->batch->choice->plugin, request->ptx, request->ptx_size,
                              compilation->arguments, &result->output);
    compilation->milliseconds = milliseconds_now() - start;
    compilation->succeeded = result->output.cubin;
}

/* Moves the cubin to the result of the request, which owns it from now on. Copies the messages to
 * the batch's arena. Returns false if memory has run out. */
static bool take_result(struct ptx_batch *batch, struct compilation *compilation,
                        const struct in_process_result *result)
{
    const struct plugin_output *output = &result->output;
    compilation->result->cubin = output->cubin;
    compilation->result->cubin_size = output->cubin_size;
    struct bytes messages = {(const uint8_t *)output->messages, output->messages_size};
    uint8_t *copy = arena_try_alloc(&batch->arena, ptxas_messages_copied_size(messages));
    if (copy)
        compilation->messages = ptxas_messages_copy_to(copy, messages);
    free(output->messages);
    return copy && result->has_memory;
}

bool in_process_compile(struct ptx_batch *batch, const struct ptx_compiler_settings *settings)
{
    unsigned threads = settings->threads ? settings->threads : 1;
    unsigned workers = threads < PARALLEL_MOST_WORKERS ? threads : PARALLEL_MOST_WORKERS;
    struct work work = {batch, settings->loader, NULL};
    work.results = ARENA_ARRAY(&batch->arena, struct in_process_result, batch->pending_count);
    if (batch->pending_count < workers)
        workers = (unsigned)batch->pending_count;
    parallel_for(workers, batch->pending_count, compile_one, &work);
    bool has_memory = true;
    for (size_t i = 0; i < batch->pending_count; i++)
        has_memory &= take_result(batch, batch->pending[i], &work.results[i]);
    return has_memory;
}
