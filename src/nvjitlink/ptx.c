/* Compiles the PTX of inputs; see ptx.h.
 *
 * PTX in a container (fat binary, object or library) is compiled when the container is added. An
 * extra link of the container alone finds the texts that a link takes from it. The output of the
 * extra link is discarded, and so are its messages except those of the compiler. The cubins are
 * kept together with the texts, so the final link compiles nothing. */
#define _GNU_SOURCE /* dladdr */
#include "nvjitlink/ptx.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/plugin/loader.h"
#include "compile/ptx_compiler.h"
#include "nvjitlink/linking.h"
#include "nvjitlink/log.h"
#include "nvjitlink/options.h"
#include "warpld_nvjitlink.h"

/* --------------------------------------------------------------------------------------------- */
/* The compiler                                                                                  */

/* The state of a compilation. When the compilation of a text ends, its messages are moved to the
 * link's error log if it failed, otherwise to the info log. */
struct input_compilation {
    struct jit_link *link;
    struct ptx_job job;
    struct jit_log messages;                     /* messages of the compiler */
    const struct warpld_compile_result *results; /* for ptx_report_kept */
    bool owns_compiler; /* `job.compiler` is for this compilation only, because of -no-cache */
    bool has_failed;
};

/* Finds the folder that contains this library. Sets `folder` to "" if it is unknown. */
static void find_own_folder(char folder[PATH_MAX])
{
    static const char HERE = 0;
    Dl_info info;
    *folder = '\0';
    if (!dladdr(&HERE, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash && slash - info.dli_fname < PATH_MAX)
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
}

static struct ptx_compiler *create_compiler(bool no_cache)
{
    char folder[PATH_MAX];
    find_own_folder(folder);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct ptx_compiler_settings settings = {
        .choice = getenv("WARPLD_PTX_COMPILER"),
        .loader = ptx_plugin_loader(),
        .toolkits = {getenv("CUDA_HOME"), getenv("CUDA_PATH")},
        .own_folder = *folder ? folder : NULL,
        .path = getenv("PATH"),
        .library_path = getenv("LD_LIBRARY_PATH"),
        .temporary_folder = getenv("TMPDIR"),
        .threads = cores > 0 ? (unsigned)cores : 1,
        .cache_folder = getenv("WARPLD_CACHE_DIR"),
        .no_cache = no_cache,
        .remedy = "set WARPLD_PTX_COMPILER to its path",
    };
    return ptx_compiler_create(&settings);
}

/* All links of the process share a compiler and its cache. The compiler uses the environment as it
 * was when the first text was compiled. */
static pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct ptx_compiler *shared_compiler;

static struct ptx_compiler *take_compiler(bool no_cache)
{
    if (no_cache)
        return create_compiler(true);
    pthread_mutex_lock(&shared_mutex);
    if (!shared_compiler)
        shared_compiler = create_compiler(false);
    struct ptx_compiler *compiler = shared_compiler;
    pthread_mutex_unlock(&shared_mutex);
    return compiler;
}

/* Runs when the library is unloaded. */
__attribute__((destructor)) static void destroy_shared(void)
{
    ptx_compiler_destroy(shared_compiler);
}

/* Adds the lines of a message. As in NVIDIA's libraries, a line that continues a message begins
 * with the compiler's name. */
static void add_lines(struct jit_log *log, const char *text, size_t size)
{
    static const char INDENTATION[] = "    ", CONTINUATION[] = "ptxas         .     ";
    const char *end = text + size;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *next = newline ? newline + 1 : end;
        size_t indented = sizeof INDENTATION - 1;
        if ((size_t)(next - text) > indented && !memcmp(text, INDENTATION, indented)) {
            jit_log_add(log, CONTINUATION, sizeof CONTINUATION - 1);
            text += indented;
        }
        jit_log_add(log, text, (size_t)(next - text));
        text = next;
    }
}

static void take_message(void *context, enum ptx_message_kind kind, const char *text, size_t size)
{
    struct input_compilation *compilation = context;
    if (kind == PTX_MESSAGE_COMPILER)
        add_lines(&compilation->messages, text, size);
    else if (kind == PTX_MESSAGE_WARNING || kind == PTX_MESSAGE_CACHE)
        jit_log_print(&compilation->link->infos, "warning : %s\n", text);
    else
        jit_log_print(&compilation->link->errors, "error   : %s\n", text);
}

static void begin(struct input_compilation *compilation, struct jit_link *link)
{
    bool no_cache = link->options.given[JIT_OPTION_NO_CACHE];
    *compilation = (struct input_compilation){.link = link, .owns_compiler = no_cache};
    compilation->job = (struct ptx_job){
        .compiler = take_compiler(no_cache),
        .arguments = link->options.ptxas.values,
        .arguments_count = link->options.ptxas.count,
        .message = take_message,
        .context = compilation,
    };
}

/* Moves the compiler's messages to the error log if the compilation failed, otherwise to the info
 * log. */
static void end_messages(struct input_compilation *compilation, bool has_failed)
{
    struct jit_link *link = compilation->link;
    compilation->has_failed |= has_failed;
    jit_log_add(has_failed ? &link->errors : &link->infos, compilation->messages.text,
                compilation->messages.size);
    compilation->messages.size = 0;
}

static void end(struct input_compilation *compilation)
{
    jit_log_free(&compilation->messages);
    if (compilation->owns_compiler)
        ptx_compiler_destroy(compilation->job.compiler);
}

static nvJitLinkResult report_failure(struct jit_link *link, const char *name)
{
    jit_log_print(&link->errors, "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (%s)\n", name);
    link->has_refused_text = true;
    return NVJITLINK_ERROR_PTX_COMPILE;
}

/* --------------------------------------------------------------------------------------------- */
/* An input that is PTX                                                                          */

/* Writes the name of the target for ptxas, without the suffix for a family: sm_100 for sm_100f. See
 * struct warpld_compile_request. */
static void name_target(const struct jit_link *link, char name[16])
{
    const char *architecture = link->options.target.architecture;
    size_t size = strlen(architecture);
    bool is_family = size && architecture[size - 1] == 'f';
    snprintf(name, 16, "%.*s", (int)(size - is_family), architecture);
}

static bool copy_cubin(struct jit_input *input, const struct warpld_compile_result *result)
{
    uint8_t *copy = malloc(result->cubin_size);
    if (!copy)
        return false;
    memcpy(copy, result->cubin, result->cubin_size);
    free(input->data);
    input->data = copy;
    input->size = result->cubin_size;
    return true;
}

nvJitLinkResult ptx_compile_input(struct jit_link *link, struct jit_input *input)
{
    char target[16];
    name_target(link, target);
    struct warpld_compile_request request = {
        .size = sizeof request,
        .name = input->name,
        .ptx = (const char *)input->data,
        .ptx_size = strnlen((const char *)input->data, input->size),
        .architecture = target,
        .debug = link->options.given[JIT_OPTION_DEBUG],
        .is_input = true,
    };
    struct warpld_compile_result result = {.size = sizeof result};
    struct input_compilation compilation;
    begin(&compilation, link);
    ptx_job_compile(&compilation.job, &request, &result, 1);
    ptx_job_report(&compilation.job, 0);
    end_messages(&compilation, !result.cubin);
    bool has_memory = !result.cubin || copy_cubin(input, &result);
    ptx_job_release(&compilation.job, &result, 1);
    end(&compilation);
    if (!has_memory)
        return NVJITLINK_ERROR_INTERNAL;
    return compilation.has_failed ? report_failure(link, input->name) : NVJITLINK_SUCCESS;
}

/* --------------------------------------------------------------------------------------------- */
/* PTX in a container                                                                            */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static const struct compiled_text *find_compiled(const struct jit_link *link,
                                                 const struct warpld_compile_request *request)
{
    for (size_t i = 0; i < link->compiled_count; i++) {
        const struct compiled_text *compiled = &link->compiled[i];
        if (compiled->text_size == request->ptx_size &&
            !memcmp(compiled->text, request->ptx, request->ptx_size) &&
            is_same_text(compiled->options, request->options))
            return compiled;
    }
    return NULL;
}

static void *copy_bytes(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);
    return copy && size ? memcpy(copy, bytes, size) : copy;
}

static void free_text(struct compiled_text *text)
{
    free(text->text);
    free(text->options);
    free(text->cubin);
}

/* Keeps a copy of the text and its cubin. If memory has run out, nothing is kept, and the final
 * link fails because it lacks the cubin. */
static void keep(struct jit_link *link, const struct warpld_compile_request *request,
                 const struct warpld_compile_result *result)
{
    struct compiled_text *list = realloc(link->compiled, (link->compiled_count + 1) * sizeof *list);
    if (!list)
        return;
    link->compiled = list;
    const char *options = request->options;
    struct compiled_text text = {
        .text = copy_bytes(request->ptx, request->ptx_size),
        .text_size = request->ptx_size,
        .options = options ? copy_bytes(options, strlen(options) + 1) : NULL,
        .cubin = copy_bytes(result->cubin, result->cubin_size),
        .cubin_size = result->cubin_size,
    };
    if (text.text && text.cubin && (text.options || !options))
        list[link->compiled_count++] = text;
    else
        free_text(&text);
}

void ptx_free_compiled(struct jit_link *link)
{
    for (size_t i = 0; i < link->compiled_count; i++)
        free_text(&link->compiled[i]);
    free(link->compiled);
}

/* Returns the compilation that is running. `context` is the link. */
static struct input_compilation *of(void *context)
{
    return ((struct jit_link *)context)->compilation;
}

void ptx_compile_and_keep(void *context, const struct warpld_compile_request *requests,
                          struct warpld_compile_result *results, size_t count)
{
    struct input_compilation *compilation = of(context);
    ptx_job_compile(&compilation->job, requests, results, count);
    compilation->results = results;
    for (size_t i = 0; i < count; i++)
        if (results[i].cubin)
            keep(compilation->link, &requests[i], &results[i]);
}

void ptx_report_kept(void *context, size_t index)
{
    struct input_compilation *compilation = of(context);
    ptx_job_report(&compilation->job, index);
    end_messages(compilation, !compilation->results[index].cubin);
}

void ptx_release_kept(void *context, struct warpld_compile_result *results, size_t count)
{
    ptx_job_release(&of(context)->job, results, count);
}

enum warpld_status ptx_run(struct jit_link *link, struct warpld_link *compiling)
{
    struct input_compilation compilation;
    begin(&compilation, link);
    link->compilation = &compilation;
    enum warpld_status status = warpld_run(compiling);
    link->compilation = NULL;
    end(&compilation);
    return status;
}

nvJitLinkResult ptx_compile_container(struct jit_link *link, const struct jit_input *input)
{
    struct input_compilation compilation;
    struct warpld_link *silent = linking_create_silent(link);
    if (!silent)
        return NVJITLINK_ERROR_INTERNAL;
    begin(&compilation, link);
    link->compilation = &compilation;
    warpld_add_memory(silent, input->name, input->data, input->size);
    warpld_run(silent);
    warpld_destroy(silent);
    link->compilation = NULL;
    end(&compilation);
    return compilation.has_failed ? report_failure(link, input->name) : NVJITLINK_SUCCESS;
}

/* Sets the cubin of each text to the one that was kept. A text remains without a cubin if memory
 * ran out when it was kept. */
void ptx_take_compiled(void *context, const struct warpld_compile_request *requests,
                       struct warpld_compile_result *results, size_t count)
{
    const struct jit_link *link = context;
    for (size_t i = 0; i < count; i++) {
        const struct compiled_text *compiled = find_compiled(link, &requests[i]);
        if (!compiled)
            continue;
        results[i].cubin = compiled->cubin;
        results[i].cubin_size = compiled->cubin_size;
    }
}
