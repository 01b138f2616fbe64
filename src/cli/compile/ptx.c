/* Compiles the PTX of the command's link; see ptx.h.
 *
 * The options and the environment are read only if there is PTX to compile, because most links have
 * none. */
#include "cli/compile/ptx.h"

#include <stdlib.h>
#include <string.h>

#include "cli/compile/cache_choice.h"
#include "cli/compile/compiler.h"
#include "cli/compile/link_arguments.h"
#include "cli/compile/own_folder.h"
#include "cli/compile/remote_cache.h"
#include "cli/options/options.h"
#include "cli/options/threads.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

/* Returns the compiler that the command line or the variable WARPLD_PTX_COMPILER chooses. A program
 * that behaves as nvlink ignores the variable. The default is ptxas ("process"), because objects
 * that other compilers make have other tool notes. */
static const char *choice_of(const struct command_compiler *compiler)
{
    const char *chosen = command_line_text(compiler->line, OPTION_PTX_COMPILER);
    if (!chosen && !compiler->called_nvlink)
        chosen = getenv("WARPLD_PTX_COMPILER");
    return chosen && *chosen ? chosen : "process";
}

static bool is_process(const char *choice)
{
    return !strcmp(choice, "process");
}

bool command_compiles_with_ptxas(const struct command_compiler *compiler)
{
    return is_process(choice_of(compiler));
}

static struct ptx_compiler *create(const struct command_compiler *compiler)
{
    const struct command_line *line = compiler->line;
    const char *choice = choice_of(compiler);
    struct ptx_compiler_settings settings = {
        .choice = choice,
        .ptxas = command_line_text(line, OPTION_PTXAS_PATH),
        .toolkits = {getenv("CUDA_HOME"), getenv("CUDA_PATH")},
        .own_folder = own_folder(compiler->arena),
        .path = getenv("PATH"),
        .library_path = getenv("LD_LIBRARY_PATH"),
        .temporary_folder = getenv("TMPDIR"),
        .threads = threads_of(line),
        .cache_folder = usable_cache_folder(compiler),
        .cache_limit = chosen_cache_limit(line),
        .remote = remote_cache_store(compiler->remote),
        .no_cache = command_line_given(line, OPTION_NO_CACHE),
        .remedy = is_process(choice) ? NULL : "name it with --ptx-compiler",
    };
    return ptx_compiler_create(&settings);
}

void command_prepare_job(struct command_compiler *compiler)
{
    struct ptx_job *job = &compiler->job;
    if (job->compiler)
        return;
    job->problem = link_arguments_problem(compiler->line);
    job->compiler_seconds = compiler_seconds(compiler->line);
    job->arguments = link_arguments_for_ptxas(compiler->arena, compiler->line,
                                              compiler->split_compile != 0, &job->arguments_count);
    job->compiler = create(compiler);
}

void command_compile(void *context, const struct warpld_compile_request *requests,
                     struct warpld_compile_result *results, size_t count)
{
    struct command_compiler *compiler = context;
    struct ptx_job *job = &compiler->job;
    command_prepare_job(compiler);
    ptx_job_compile(job, requests, results, count);
    command_compiler_report_cache(compiler);
    if (job->compiler)
        compiler->counts = ptx_compiler_counts(job->compiler);
}

void command_report_compiled(void *context, size_t index)
{
    struct command_compiler *compiler = context;
    ptx_job_report(&compiler->job, index);
}

void command_release_compiled(void *context, struct warpld_compile_result *results, size_t count)
{
    struct command_compiler *compiler = context;
    ptx_job_release(&compiler->job, results, count);
    ptx_compiler_destroy(compiler->job.compiler);
    compiler->job.compiler = NULL;
}
