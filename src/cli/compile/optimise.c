/* Optimises the LTO-IR of the command's link; see optimise.h.
 *
 * The command is linked statically and cannot load NVIDIA's libraries. The program
 * warpld-ptx-helper loads them. */
#include "cli/compile/optimise.h"

#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/ptx_functions.h"
#include "cli/compile/cache_choice.h"
#include "cli/compile/compiler.h"
#include "cli/compile/link_arguments.h"
#include "cli/compile/own_folder.h"
#include "cli/compile/ptx.h"
#include "cli/compile/remote_cache.h"
#include "cli/options/line_problems.h"
#include "cli/options/options.h"
#include "compile/cache.h"
#include "compile/cache_record.h"
#include "compile/cache_remote.h"
#include "compile/find_optimiser.h"
#include "compile/optimiser.h"
#include "compile/optimiser_cache.h"
#include "compile/optimiser_options.h"
#include "compile/optimiser_process.h"
#include "compile/process.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

static const char HELPER[] = "/warpld-ptx-helper";

static struct optimiser_settings settings_of(const struct command_compiler *compiler)
{
    const struct command_line *line = compiler->line;
    const char *chosen = command_line_text(line, OPTION_NVJITLINK_PATH);
    return (struct optimiser_settings){
        .nvjitlink = chosen ? chosen : getenv("WARPLD_NVJITLINK"),
        .nvvm_folder = command_line_text(line, OPTION_NVVM_PATH),
        .toolkits = {getenv("CUDA_HOME"), getenv("CUDA_PATH")},
        .environments = {getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX")},
        .own_folder = own_folder(compiler->arena),
        .library_path = getenv("LD_LIBRARY_PATH"),
    };
}

/* Returns the number of threads that the inputs record or, if they record none, the number that
 * -split-compile gives. nvlink 13.0.88 also prefers the recorded number (observed by counting its
 * threads). */
static long chosen_threads(const struct command_compiler *compiler)
{
    const struct command_line *line = compiler->line;
    if (compiler->split_compile)
        return compiler->split_compile;
    return command_line_given(line, OPTION_SPLIT_COMPILE)
               ? line->options[OPTION_SPLIT_COMPILE].number
               : 1;
}

/* Passes numbers of threads to the optimiser, except 1, the default, and negative numbers. nvlink
 * 13.0.88 also optimises if a number is negative, and ptxas refuses the number later. */
static void add_threads(const struct command_compiler *compiler, struct optimiser_options *options)
{
    long threads = chosen_threads(compiler), extended = line_extended_threads(compiler->line);
    if (threads != 1 && threads >= 0)
        optimiser_options_add(options, compiler->arena, "-split-compile=%ld", threads);
    if (extended != 1 && extended >= 0)
        optimiser_options_add(options, compiler->arena, "-split-compile-extended=%ld", extended);
}

static void report_threads(const struct command_compiler *compiler)
{
    static const char TEXT[] = "Incompatible options '-split-compile' and "
                               "'-split-compile-extended', using '-split-compile-extended'";
    if (chosen_threads(compiler) != 1 && line_extended_threads(compiler->line) != 1)
        compiler->job.message(compiler->job.context, PTX_MESSAGE_THREADS, TEXT, sizeof TEXT - 1);
}

/* Adds the options of the command line that nvJitLink has under the same name. */
static void add_options(const struct command_compiler *compiler, struct optimiser_options *options)
{
    const struct command_line *line = compiler->line;
    struct arena *arena = compiler->arena;
    const struct option_value *nvvm = &line->options[OPTION_NVVM_OPTIONS];
    long registers = line->options[OPTION_MAX_REGISTERS].number;
    for (size_t i = 0; i < nvvm->items_count; i++)
        optimiser_options_add(options, arena, "-Xnvvm=%s", nvvm->items[i]);
    if (registers > 0)
        optimiser_options_add(options, arena, "-maxrregcount=%ld", registers);
    if (command_line_given(line, OPTION_FAST_COMPILE))
        optimiser_options_add(options, arena, "-Ofc=%s",
                              command_line_text(line, OPTION_FAST_COMPILE));
    add_threads(compiler, options);
}

/* Adds the options of -Xptxas. nvJitLink needs them only if its result is an object, because it
 * then compiles the PTX itself. */
static void add_compiler_options(const struct command_compiler *compiler,
                                 struct optimiser_options *options)
{
    const struct option_value *words = &compiler->line->options[OPTION_PTXAS_OPTIONS];
    for (size_t i = 0; i < words->items_count; i++)
        optimiser_options_add(options, compiler->arena, "-Xptxas=%s", words->items[i]);
}

/* The path of the program warpld-ptx-helper; NULL if the folder of this program is unknown. */
static const char *helper_path(struct arena *arena)
{
    const char *folder = own_folder(arena);
    return folder ? arena_join(arena, folder, HELPER) : NULL;
}

/* Returns whether the program warpld-ptx-helper exists. If not, sets the problem and the remedy of
 * `result`. A warpld that was installed as a single file has no helper. */
static bool has_helper(struct arena *arena, struct warpld_optimise_result *result)
{
    const char *helper = helper_path(arena);
    if (helper && file_exists(helper))
        return true;
    result->problem = "elfLink linker library load error"; /* nvlink's message */
    result->remedy = arena_format(
        arena,
        "link-time optimisation needs the program warpld-ptx-helper in the folder of warpld, since "
        "a statically linked program cannot load NVIDIA's libraries (tried %s); use the warpld "
        "of a package, which has both",
        helper ? helper : "no folder");
    return false;
}

/* Sets the libraries of the job. Returns false if there is no nvJitLink; `result` then describes
 * the problem. */
static bool find_libraries(struct command_compiler *compiler, struct optimiser_job *job,
                           struct warpld_optimise_result *result)
{
    struct arena *arena = compiler->arena;
    struct optimiser_settings settings = settings_of(compiler);
    job->nvjitlink = find_optimiser(arena, &settings, OPTIMISER_NVJITLINK);
    if (!job->nvjitlink) {
        result->problem = "elfLink linker library load error"; /* nvlink's message */
        result->remedy = arena_format(
            arena,
            "link-time optimisation needs NVIDIA's libnvJitLink, of a CUDA toolkit or of the "
            "Python package nvidia-nvjitlink (tried %s); name it with --nvjitlink-path",
            optimiser_places(arena, &settings, OPTIMISER_NVJITLINK));
        return false;
    }
    job->nvvm =
        job->kept_count || job->is_part ? find_optimiser(arena, &settings, OPTIMISER_NVVM) : NULL;
    if (!job->kept_count || job->nvvm)
        return true;
    result->problem = "elfLink linker library load error";
    result->remedy = arena_format(
        arena,
        "link-time optimisation of a part of the inputs needs NVIDIA's libnvvm, of a "
        "CUDA toolkit or of the Python package nvidia-nvvm (tried %s); name its folder "
        "with -nvvmpath",
        optimiser_places(arena, &settings, OPTIMISER_NVVM));
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* The run                                                                                       */

/* Arranges that the compiler of the optimised PTX starts early, together with the optimiser. The
 * compiler then prepares itself while the optimiser runs. Does nothing if the link will compile no
 * PTX. */
static void expect_ptx(struct command_compiler *compiler,
                       const struct warpld_optimise_request *request, struct optimiser_job *job)
{
    if (!request->compilation)
        return;
    command_prepare_job(compiler);
    ptx_job_expect(&compiler->job, request->compilation);
    job->started = ptx_job_start_expected;
    job->started_context = &compiler->job;
}

/* Compiles `code`, the optimised PTX, with the compiler that expect_ptx started. Stops this
 * compiler without compiling if `code` is NULL. Also stops it if `code` is a whole program that
 * needs functions of other objects, because the link compiles such code with other options. */
static void compile_expected(struct command_compiler *compiler,
                             const struct warpld_optimise_request *request, const char *code,
                             size_t code_size)
{
    bool changes = code && request->compilation && request->compilation->is_whole_program &&
                   ptx_needs_functions(code);
    ptx_job_compile_expected(&compiler->job, changes ? NULL : code, code_size);
}

static void show(struct command_compiler *compiler, enum ptx_message_kind kind, const char *text)
{
    if (text && *text)
        compiler->job.message(compiler->job.context, kind, text, strlen(text));
}

/* Writes the messages that are still in a buffer. A message of the optimiser, even an empty one,
 * causes the buffer to be written. */
static void write_reported(struct command_compiler *compiler)
{
    compiler->job.message(compiler->job.context, PTX_MESSAGE_OPTIMISER, "", 0);
}

/* Shows the optimiser's messages before its PTX is compiled, because the compilation may take long
 * and may be interrupted. Returns false if memory runs out. The arena's usual handler for exhausted
 * memory is not used here. It would end this program and leave the temporary folder of the waiting
 * compiler. */
static bool show_before_compiling(struct command_compiler *compiler, const char *messages)
{
    struct arena *arena = compiler->arena;
    void (*const handler)(void *owner) = arena->out_of_memory;
    void *const owner = arena->owner;
    jmp_buf out_of_memory;
    volatile bool has_memory = false;
    arena->out_of_memory = arena_jump;
    arena->owner = &out_of_memory;
    if (!setjmp(out_of_memory)) {
        show(compiler, PTX_MESSAGE_OPTIMISER, messages);
        has_memory = true;
    }
    arena->out_of_memory = handler;
    arena->owner = owner;
    return has_memory;
}

/* Whether the messages can be written without waiting for the reader of standard error. Signals
 * that end this program are held during the write, so the user could not interrupt a write to a
 * full pipe. A pipe that is ready accepts PIPE_BUF bytes. The messages may have only an eighth of
 * that size: in JSON a byte of a message takes up to six bytes, and each line has further
 * fields. */
static bool can_show_at_once(const char *messages)
{
    enum { SHORT = PIPE_BUF / 8 };
    struct pollfd standard_error = {.fd = STDERR_FILENO, .events = POLLOUT};
    return !messages || (strlen(messages) <= SHORT && poll(&standard_error, 1, 0) == 1);
}

/* Runs the optimiser and shows its messages. If `compiles` is set, also compiles the resulting PTX.
 * Signals that end this program are held meanwhile. Returns false if memory runs out. If the
 * program warpld-ptx-helper is missing, `result` describes the problem, and `output` is empty. */
static bool run(struct command_compiler *compiler, const struct warpld_optimise_request *request,
                const struct optimiser_job *job, bool compiles, struct optimiser_output *output,
                struct warpld_optimise_result *result)
{
    struct optimiser_process process;
    struct optimiser_job own = *job;
    sigset_t held, outside;
    if (!has_helper(compiler->arena, result)) {
        *output = (struct optimiser_output){.code = NULL};
        return true;
    }
    /* helper_path may run out of memory and end this program. It is called before expect_ptx,
     * because a folder that expect_ptx creates would then be left over. */
    const char *helper = helper_path(compiler->arena);
    write_reported(compiler);
    process_hold_signals(&held, &outside);
    if (compiles)
        expect_ptx(compiler, request, &own);
    bool has_memory = optimise_in_helper(helper, &held, &own, output, &process);
    bool is_shown = has_memory && can_show_at_once(output->messages);
    if (is_shown)
        has_memory = show_before_compiling(compiler, output->messages);
    compile_expected(compiler, request, has_memory ? output->code : NULL, output->code_size);
    optimiser_process_end(&process, &held, output);
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    if (has_memory && !is_shown)
        show(compiler, PTX_MESSAGE_OPTIMISER, output->messages);
    if (has_memory)
        show(compiler, PTX_MESSAGE_OPTIMISER_FAILED,
             optimiser_process_fault(compiler->arena, helper, job, output, &process));
    return has_memory;
}

/* Reports that the cache folder cannot be used. The link then does not use the folder any more, so
 * the compilation of the PTX does not report the same problem again. */
static void report_folder(struct command_compiler *compiler, struct ptx_cache *cache)
{
    char text[sizeof cache->warning];
    if (!ptx_cache_take_warning(cache, text))
        return;
    compiler->without_folder = true;
    compiler->job.message(compiler->job.context, PTX_MESSAGE_CACHE, text, strlen(text));
}

/* Takes the optimiser's output from the cache folder or server, if they are in use and have it.
 * Otherwise calls run. If there is a cache, no compiler is started early, because the compiled code
 * may also be in the cache. */
static bool run_or_find(struct command_compiler *compiler,
                        const struct warpld_optimise_request *request,
                        const struct optimiser_job *job, struct optimiser_output *output,
                        struct warpld_optimise_result *result)
{
    struct arena *arena = compiler->arena;
    const char *folder = usable_cache_folder(compiler);
    const struct cache_remote *remote = remote_cache_store(compiler->remote);
    struct ptx_cache cache;
    struct cache_key key;
    bool has_cache = (folder && *folder) || remote;
    if (!has_cache || command_line_given(compiler->line, OPTION_NO_CACHE))
        return run(compiler, request, job, true, output, result);
    uint64_t limit = chosen_cache_limit(compiler->line);
    ptx_cache_init(&cache, folder, limit ? limit : PTX_CACHE_LIMIT);
    cache.remote = remote;
    bool has_key = optimiser_key(&key, arena, &cache, job);
    bool is_found = has_key && optimiser_cache_find(&cache, &key, output);
    if (is_found)
        show(compiler, PTX_MESSAGE_OPTIMISER, output->messages);
    bool has_memory = is_found || run(compiler, request, job, false, output, result);
    if (has_memory && has_key && output->code && !is_found)
        optimiser_cache_add(&cache, &key, output);
    report_folder(compiler, &cache);
    ptx_cache_destroy(&cache);
    command_compiler_report_cache(compiler);
    return has_memory;
}

static void run_job(struct command_compiler *compiler,
                    const struct warpld_optimise_request *request, const struct optimiser_job *job,
                    struct warpld_optimise_result *result)
{
    struct arena *arena = compiler->arena;
    struct optimiser_output output;
    if (!run_or_find(compiler, request, job, &output, result))
        result->problem = "Out of memory";
    if (result->problem) {
        free(output.messages);
        free(output.code);
        return;
    }
    if (compiler->optimised && output.code && output.milliseconds > 0)
        compiler->optimised(compiler->job.context, request->architecture, output.milliseconds);
    result->remedy = output.code ? NULL : optimiser_remedy(arena, job, output.messages);
    if (job->makes_object) {
        result->object = output.code;
        result->object_size = output.code_size;
    } else {
        result->ptx = output.code;
        result->ptx_size = output.code_size;
    }
    free(output.messages);
}

void command_optimise(void *context, const struct warpld_optimise_request *request,
                      struct warpld_optimise_result *result)
{
    struct command_compiler *compiler = context;
    struct optimiser_options options;
    struct optimiser_job job = {
        .inputs = request->inputs,
        .inputs_count = request->inputs_count,
        .kept = request->kept,
        .kept_count = request->kept_count,
        .makes_object = request->keep_all,
        .is_part = request->is_part,
        .seconds = compiler_seconds(compiler->line),
        .temporary_folder = getenv("TMPDIR"),
    };
    if (!find_libraries(compiler, &job, result)) {
        /* If the helper is missing, too, has_helper replaces the problem: without the helper, no
         * library can be used. */
        has_helper(compiler->arena, result);
        return;
    }
    result->problem = link_arguments_problem(compiler->line);
    if (result->problem)
        return;
    compiler->split_compile = request->split_compile;
    report_threads(compiler);
    optimiser_options_init(&options, compiler->arena, request);
    add_options(compiler, &options);
    if (job.makes_object)
        add_compiler_options(compiler, &options);
    job.options = options.texts;
    job.options_count = options.texts_count;
    job.nvvm_target = optimiser_nvvm_target(compiler->arena, request->architecture);
    run_job(compiler, request, &job, result);
}

void command_release_optimised(void *context, struct warpld_optimise_result *result)
{
    (void)context;
    free((void *)result->ptx);
    free((void *)result->object);
    result->ptx = NULL;
    result->object = NULL;
}
