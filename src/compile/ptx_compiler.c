/* Compiles the PTX of a link; see ptx_compiler.h. */
#include "compile/ptx_compiler.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "compile/batch.h"
#include "compile/batch_cache.h"
#include "compile/cache.h"
#include "compile/compilation_key.h"
#include "compile/compiler_choice.h"
#include "compile/expected_text.h"
#include "compile/find_program.h"
#include "compile/in_process.h"
#include "compile/ptx_plugin.h"
#include "compile/ptxas_failure.h"
#include "compile/ptxas_messages.h"
#include "compile/ptxas_options.h"
#include "compile/ptxas_process.h"

struct ptx_compiler {
    struct arena arena; /* of the settings */
    struct ptx_compiler_settings settings;
    pthread_mutex_t lock;
    bool has_chosen; /* `choice` is set; from then on it does not change */
    struct compiler_choice choice;
    struct ptx_cache cache;
    struct ptx_compiler_counts counts;
};

static const char OUT_OF_MEMORY[] = "Out of memory";

/* --------------------------------------------------------------------------------------------- */
/* The compiler                                                                                  */

static const char *copy(struct arena *arena, const char *text)
{
    return text ? arena_copy_string(arena, text, strlen(text)) : NULL;
}

/* Returns false if memory has run out. */
static bool copy_settings(struct ptx_compiler *compiler,
                          const struct ptx_compiler_settings *settings)
{
    struct ptx_compiler_settings *own = &compiler->settings;
    struct arena *arena = &compiler->arena;
    jmp_buf out_of_memory;
    arena_init(arena, arena_jump, &out_of_memory);
    if (setjmp(out_of_memory))
        return false;
    *own = *settings;
    own->ptxas = copy(arena, settings->ptxas);
    for (size_t i = 0; i < sizeof own->toolkits / sizeof *own->toolkits; i++)
        own->toolkits[i] = copy(arena, settings->toolkits[i]);
    own->own_folder = copy(arena, settings->own_folder);
    own->path = copy(arena, settings->path);
    own->cache_folder = copy(arena, settings->cache_folder);
    own->remedy = copy(arena, settings->remedy);
    own->library_path = copy(arena, settings->library_path);
    own->choice = copy(arena, settings->choice);
    own->temporary_folder = copy(arena, settings->temporary_folder);
    return true;
}

struct ptx_compiler *ptx_compiler_create(const struct ptx_compiler_settings *settings)
{
    struct ptx_compiler *compiler = calloc(1, sizeof *compiler);
    if (!compiler)
        return NULL;
    pthread_mutex_init(&compiler->lock, NULL);
    bool has_memory = copy_settings(compiler, settings);
    ptx_cache_init(&compiler->cache, settings->no_cache ? NULL : compiler->settings.cache_folder,
                   settings->cache_limit ? settings->cache_limit : PTX_CACHE_LIMIT);
    compiler->cache.remote = settings->no_cache ? NULL : settings->remote;
    if (has_memory)
        return compiler;
    ptx_compiler_destroy(compiler);
    return NULL;
}

void ptx_compiler_destroy(struct ptx_compiler *compiler)
{
    if (!compiler)
        return;
    if (compiler->choice.plugin)
        compiler->settings.loader->close(compiler->choice.plugin);
    ptx_cache_destroy(&compiler->cache);
    free((void *)compiler->choice.identity);
    free((void *)compiler->choice.program);
    free((void *)compiler->choice.library);
    pthread_mutex_destroy(&compiler->lock);
    arena_destroy(&compiler->arena);
    free(compiler);
}

const char *ptx_compiler_temporary(const struct ptx_compiler *compiler)
{
    return compiler->settings.temporary_folder;
}

struct ptx_compiler_counts ptx_compiler_counts(struct ptx_compiler *compiler)
{
    pthread_mutex_lock(&compiler->lock);
    struct ptx_compiler_counts counts = compiler->counts;
    pthread_mutex_unlock(&compiler->lock);
    return counts;
}

/* --------------------------------------------------------------------------------------------- */
/* Arguments                                                                                     */

struct refusal {
    struct ptx_batch *batch;
    struct compilation *compilation;
};

static void refuse_option(void *context, const char *argument)
{
    const struct refusal *refusal = context;
    struct arena *arena = &refusal->batch->arena;
    *ARENA_APPEND(arena, refusal->compilation, warnings) =
        arena_format(arena, "Option '%s' of the PTX is not passed to ptxas", argument);
}

static bool is_for_debugging(const struct argument_list *list)
{
    for (size_t i = 0; i < list->arguments_count; i++)
        if (!strcmp(list->arguments[i], "-g") || !strcmp(list->arguments[i], "--device-debug"))
            return true;
    return false;
}

void batch_set_arguments(struct ptx_batch *batch, struct compilation *compilation)
{
    const struct warpld_compile_request *request = compilation->request;
    const struct ptx_job *job = batch->job;
    struct arena *arena = &batch->arena;
    const char *arguments[PTX_FIXED_ARGUMENTS] = {"-arch", request->architecture, "-m", "64",
                                                  PTX_FOR_LINKING};
    size_t fixed = request->is_whole_program ? PTX_FIXED_ARGUMENTS - 1 : PTX_FIXED_ARGUMENTS;
    struct argument_list list = {.arguments = NULL};
    struct refusal refusal = {batch, compilation};
    for (size_t i = 0; i < fixed; i++)
        *ARENA_APPEND(arena, &list, arguments) = arguments[i];
    if (request->debug)
        *ARENA_APPEND(arena, &list, arguments) = "-g";
    if (request->options)
        ptxas_options_add(&list, arena, request->options, refuse_option, &refusal);
    for (size_t i = 0; i < job->arguments_count; i++)
        *ARENA_APPEND(arena, &list, arguments) = job->arguments[i];
    compilation->is_for_debugging = is_for_debugging(&list);
    *ARENA_APPEND(arena, &list, arguments) = NULL;
    compilation->arguments = list.arguments;
}

/* --------------------------------------------------------------------------------------------- */
/* A batch                                                                                       */

void batch_report(const struct ptx_batch *batch, enum ptx_message_kind kind, const char *text)
{
    batch->job->message(batch->job->context, kind, text, strlen(text));
}

void batch_take_cubin(const struct compilation *compilation, struct bytes cubin)
{
    void *bytes = cubin.size ? malloc((size_t)cubin.size) : NULL;
    if (!bytes)
        return;
    memcpy(bytes, cubin.data, (size_t)cubin.size);
    compilation->result->cubin = bytes;
    compilation->result->cubin_size = (size_t)cubin.size;
}

static void prepare(struct ptx_batch *batch, const struct warpld_compile_request *requests,
                    struct warpld_compile_result *results, size_t count)
{
    batch->compilations = ARENA_ARRAY(&batch->arena, struct compilation, count);
    batch->count = count;
    batch->pending = ARENA_ARRAY(&batch->arena, struct compilation *, count);
    for (size_t i = 0; i < count; i++) {
        batch->compilations[i].request = &requests[i];
        batch->compilations[i].result = &results[i];
        batch_set_arguments(batch, &batch->compilations[i]);
        batch->pending[batch->pending_count++] = &batch->compilations[i];
    }
}

/* Returns false if memory has run out. */
static bool keep_choice(struct ptx_compiler *compiler, const struct compiler_choice *choice)
{
    struct compiler_choice *own = &compiler->choice;
    char *program = choice->program ? strdup(choice->program) : NULL;
    char *library = choice->library ? strdup(choice->library) : NULL;
    char *identity = choice->identity ? strdup(choice->identity) : NULL;
    bool has_memory = (program || !choice->program) && (library || !choice->library) &&
                      (identity || !choice->identity);
    if (has_memory) {
        *own = (struct compiler_choice){program, library, choice->plugin, identity};
        compiler->has_chosen = true;
    } else {
        free(program);
        free(library);
        free(identity);
    }
    return has_memory;
}

/* The lock is not held during the search, because the search jumps out of this function if memory
 * runs out. So two links may search at the same time; the choice of the link that ends its search
 * first is kept. */
const char *batch_choose(struct ptx_batch *batch)
{
    struct ptx_compiler *compiler = batch->job->compiler;
    struct compiler_choice choice = {.program = NULL};
    pthread_mutex_lock(&compiler->lock);
    bool has_chosen = compiler->has_chosen;
    pthread_mutex_unlock(&compiler->lock);
    batch->choice = &compiler->choice;
    if (has_chosen)
        return NULL;
    const char *problem = compiler_choose(&choice, &batch->arena, &compiler->settings);
    if (problem)
        return problem;
    if (choice.plugin)
        choice.identity = compiler_identity(&batch->arena, &compiler->cache, &choice);
    pthread_mutex_lock(&compiler->lock);
    bool is_kept = !compiler->has_chosen && keep_choice(compiler, &choice);
    has_chosen = compiler->has_chosen;
    pthread_mutex_unlock(&compiler->lock);
    if (!is_kept && choice.plugin)
        compiler->settings.loader->close(choice.plugin);
    return has_chosen ? NULL : OUT_OF_MEMORY;
}

/* Compiles the pending texts of the batch. Returns false, and has reported why, if no text was
 * compiled. */
static bool compile_pending(struct ptx_batch *batch)
{
    const struct ptx_compiler_settings *settings = &batch->job->compiler->settings;
    if (!batch->pending_count)
        return true;
    if (expected_text_take(batch))
        return true;
    if (batch->choice->program)
        return ptxas_process_compile(batch, settings);
    if (!in_process_compile(batch, settings))
        arena_give_up(&batch->arena);
    return true;
}

static void count(struct ptx_compiler *compiler, const struct ptx_batch *batch)
{
    pthread_mutex_lock(&compiler->lock);
    compiler->counts.compiled += batch->pending_count;
    compiler->counts.cached += batch->count - batch->pending_count;
    pthread_mutex_unlock(&compiler->lock);
}

/* Takes the texts of the batch from the cache or compiles them. Returns false, and has reported
 * why, if no text was compiled. */
static bool compile(struct ptx_batch *batch)
{
    struct ptx_compiler *compiler = batch->job->compiler;
    const char *problem = batch_choose(batch);
    if (problem) {
        batch_report(batch, PTX_MESSAGE_ERROR, problem);
        return false;
    }
    const char *identity = batch->choice->plugin
                               ? batch->choice->identity
                               : compiler_identity(&batch->arena, &compiler->cache, batch->choice);
    if (identity && !compiler->settings.no_cache)
        batch_look_up(batch, &compiler->cache, identity);
    count(compiler, batch);
    bool has_compiled = compile_pending(batch);
    if (has_compiled)
        batch_store(batch, &compiler->cache);
    batch_report_cache(batch, &compiler->cache);
    return has_compiled;
}

static void explain_failure(struct ptx_batch *batch, const struct compilation *compilation)
{
    struct warpld_compile_result *result = compilation->result;
    struct bytes messages = compilation->messages;
    if (ptxas_failed_after_parsing(messages))
        result->problem = "elfLink JIT compile failed"; /* nvlink's message */
    result->line = (unsigned long)ptxas_failure_line(messages);
    result->remedy =
        ptxas_failure_remedy(&batch->arena, messages, compilation->request->architecture);
}

static void finish(struct ptx_batch *batch)
{
    const struct ptx_job *job = batch->job;
    for (size_t i = 0; i < batch->count; i++) {
        const struct compilation *compilation = &batch->compilations[i];
        if (!compilation->result->cubin)
            explain_failure(batch, compilation);
        if (compilation->succeeded && job->compiled)
            job->compiled(job->context, compilation->request, compilation->milliseconds);
    }
}

static void end_batch(struct ptx_job *job)
{
    if (job->batch)
        arena_destroy(&job->batch->arena);
    free(job->batch);
    job->batch = NULL;
}

/* Reports that memory has run out, and ends the batch. Removes the remedies from the results,
 * because their memory belongs to the batch. */
static void report_out_of_memory(struct ptx_job *job, struct warpld_compile_result *results,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        results[i].remedy = NULL;
    if (job->batch)
        ptxas_process_clean(job->batch);
    end_batch(job);
    job->message(job->context, PTX_MESSAGE_ERROR, OUT_OF_MEMORY, sizeof OUT_OF_MEMORY - 1);
}

/* Compiles all texts of a link and keeps the messages for ptx_job_report. */
void ptx_job_compile(void *context, const struct warpld_compile_request *requests,
                     struct warpld_compile_result *results, size_t count)
{
    struct ptx_job *job = context;
    if (job->problem && count)
        results[0].problem = job->problem;
    if (job->problem)
        return;
    job->batch = job->compiler ? calloc(1, sizeof *job->batch) : NULL;
    if (!job->batch) {
        report_out_of_memory(job, results, count);
        return;
    }
    job->batch->job = job;
    arena_init(&job->batch->arena, arena_jump, &job->batch->out_of_memory);
    if (setjmp(job->batch->out_of_memory)) {
        report_out_of_memory(job, results, count);
        return;
    }
    prepare(job->batch, requests, results, count);
    if (compile(job->batch))
        finish(job->batch);
    else
        end_batch(job);
}

/* Must not allocate from the arena: without memory, the arena jumps into ptx_job_compile, which has
 * returned. */
void ptx_job_report(void *context, size_t index)
{
    const struct ptx_job *job = context;
    if (!job->batch) /* all texts failed together, which has been reported */
        return;
    const struct compilation *compilation = &job->batch->compilations[index];
    for (size_t i = 0; i < compilation->warnings_count; i++)
        batch_report(job->batch, PTX_MESSAGE_WARNING, compilation->warnings[i]);
    if (compilation->problem)
        batch_report(job->batch, PTX_MESSAGE_ERROR, compilation->problem);
    if (compilation->messages.size)
        job->message(job->context, PTX_MESSAGE_COMPILER, (const char *)compilation->messages.data,
                     (size_t)compilation->messages.size);
}

void ptx_job_release(void *context, struct warpld_compile_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)results[i].cubin);
    end_batch(context);
}
