/* Many links on many threads share one PTX compiler. Its plug-in is a fake whose "cubin" is a copy
 * of the PTX text. `make check` runs this test under ThreadSanitizer. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/ptx_compiler.h"
#include "compile/ptx_plugin.h"
#include "warpld.h"

enum { THREADS = 8, ROUNDS = 30, TEXTS = 4 };

struct ptx_plugin {
    atomic_int compiled;
};

static struct ptx_plugin plugin;
static atomic_int opened, closed;

static struct ptx_plugin *open_plugin(const char *path, char *problem, size_t problem_size)
{
    if (strstr(path, "bad.so")) {
        snprintf(problem, problem_size, "it is bad");
        return NULL;
    }
    atomic_fetch_add(&opened, 1);
    return &plugin;
}

static bool compile(const struct ptx_plugin *used, const char *ptx, size_t ptx_size,
                    const char *const *arguments, struct plugin_output *output)
{
    assert_ptr_equal(used, &plugin);
    atomic_fetch_add(&plugin.compiled, 1);
    assert_string_equal(arguments[0], "-arch");
    output->messages = strdup("ptxas info    : compiled\n");
    output->messages_size = strlen(output->messages);
    if (ptx_size >= 3 && !memcmp(ptx, "bad", 3))
        return true;
    output->cubin = malloc(ptx_size);
    assert_non_null(output->cubin);
    memcpy(output->cubin, ptx, ptx_size);
    output->cubin_size = ptx_size;
    return true;
}

static bool compile_without_memory(const struct ptx_plugin *used, const char *ptx, size_t ptx_size,
                                   const char *const *arguments, struct plugin_output *output)
{
    (void)used, (void)ptx, (void)ptx_size, (void)arguments, (void)output;
    return false;
}

static void close_plugin(struct ptx_plugin *used)
{
    assert_ptr_equal(used, &plugin);
    atomic_fetch_add(&closed, 1);
}

static const struct ptx_plugin_loader LOADER = {open_plugin, compile, close_plugin};
static const struct ptx_plugin_loader LOADER_WITHOUT_MEMORY = {open_plugin, compile_without_memory,
                                                               close_plugin};

/* --------------------------------------------------------------------------------------------- */
/* Jobs                                                                                          */

struct log {
    int errors, warnings, lines;
    char last[512];
};

static void take_message(void *context, enum ptx_message_kind kind, const char *text, size_t size)
{
    struct log *log = context;
    assert_int_equal(strlen(text), size);
    (*(kind == PTX_MESSAGE_ERROR     ? &log->errors
       : kind == PTX_MESSAGE_WARNING ? &log->warnings
                                     : &log->lines))++;
    snprintf(log->last, sizeof log->last, "%s", text);
}

/* The folder of good.so and bad.so, the files that open_plugin accepts and refuses. */
static char folder[] = "/tmp/test_ptx_threads-XXXXXX";

static char *path_of(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static struct ptx_compiler *create(const char *name, const struct ptx_plugin_loader *loader,
                                   bool no_cache)
{
    struct ptx_compiler_settings settings = {
        .choice = path_of(name),
        .loader = loader,
        .threads = 2,
        .no_cache = no_cache,
        .remedy = "set NAME",
    };
    struct ptx_compiler *compiler = ptx_compiler_create(&settings);
    assert_non_null(compiler);
    return compiler;
}

/* Compiles `texts` and checks each cubin that is returned. Returns the number of texts without a
 * cubin. */
static int compile_texts(struct ptx_compiler *compiler, struct log *log, const char *const *texts,
                         size_t count)
{
    struct ptx_job job = {.compiler = compiler, .message = take_message, .context = log};
    struct warpld_compile_request requests[TEXTS] = {{.size = 0}};
    struct warpld_compile_result results[TEXTS] = {{.size = 0}};
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        requests[i] = (struct warpld_compile_request){
            .size = sizeof *requests,
            .ptx = texts[i],
            .ptx_size = strlen(texts[i]),
            .architecture = "sm_90",
        };
    ptx_job_compile(&job, requests, results, count);
    for (size_t i = 0; i < count; i++) {
        ptx_job_report(&job, i);
        failed += !results[i].cubin;
        if (results[i].cubin) {
            assert_int_equal(results[i].cubin_size, strlen(texts[i]));
            assert_memory_equal(results[i].cubin, texts[i], strlen(texts[i]));
        }
    }
    ptx_job_release(&job, results, count);
    return failed;
}

static void *run_links(void *context)
{
    struct ptx_compiler *compiler = context;
    for (int round = 0; round < ROUNDS; round++) {
        char text[TEXTS][32];
        const char *texts[TEXTS];
        for (int i = 0; i < TEXTS; i++) {
            snprintf(text[i], sizeof text[i], "text %d", (round + i) % 10);
            texts[i] = text[i];
        }
        struct log log = {.errors = 0};
        assert_int_equal(compile_texts(compiler, &log, texts, TEXTS), 0);
        assert_int_equal(log.lines, TEXTS);
        assert_int_equal(log.errors + log.warnings, 0);
    }
    return NULL;
}

static void run_on_threads(struct ptx_compiler *compiler)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_links, compiler), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* --------------------------------------------------------------------------------------------- */
/* Tests                                                                                         */

static void test_threads_share_results(void **state)
{
    (void)state;
    struct ptx_compiler *compiler = create("good.so", &LOADER, false);
    int before = plugin.compiled;
    run_on_threads(compiler);
    struct ptx_compiler_counts counts = ptx_compiler_counts(compiler);
    assert_int_equal(counts.compiled + counts.cached, THREADS * ROUNDS * TEXTS);
    assert_int_equal(counts.compiled, plugin.compiled - before);
    /* Each thread compiles each of the ten texts at most once. */
    assert_in_range(counts.compiled, 10, 10 * THREADS);
    ptx_compiler_destroy(compiler);
    assert_int_equal(opened, closed);
}

static void test_nothing_is_kept_without_a_cache(void **state)
{
    (void)state;
    struct ptx_compiler *compiler = create("good.so", &LOADER, true);
    run_on_threads(compiler);
    struct ptx_compiler_counts counts = ptx_compiler_counts(compiler);
    assert_int_equal(counts.compiled, THREADS * ROUNDS * TEXTS);
    assert_int_equal(counts.cached, 0);
    ptx_compiler_destroy(compiler);
}

static void test_a_failure_is_reported_and_not_kept(void **state)
{
    (void)state;
    struct ptx_compiler *compiler = create("good.so", &LOADER, false);
    const char *texts[] = {"good", "bad text"};
    struct log log = {.errors = 0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(compile_texts(compiler, &log, texts, 2), 1);
    assert_int_equal(log.lines, 4);
    assert_int_equal(ptx_compiler_counts(compiler).compiled, 3);
    ptx_compiler_destroy(compiler);
}

static void test_a_library_that_cannot_be_used(void **state)
{
    (void)state;
    struct ptx_compiler *compiler = create("bad.so", &LOADER, false);
    const char *texts[] = {"text"};
    struct log log = {.errors = 0};
    char expected[512];
    snprintf(expected, sizeof expected,
             "Cannot find the chosen PTX compiler (tried %s: it is bad); set NAME",
             path_of("bad.so"));
    assert_int_equal(compile_texts(compiler, &log, texts, 1), 1);
    assert_int_equal(log.errors, 1);
    assert_string_equal(log.last, expected);
    ptx_compiler_destroy(compiler);
}

static void test_a_lack_of_memory_is_an_error(void **state)
{
    (void)state;
    struct ptx_compiler *compiler = create("good.so", &LOADER_WITHOUT_MEMORY, false);
    const char *texts[] = {"one", "two"};
    struct log log = {.errors = 0};
    assert_int_equal(compile_texts(compiler, &log, texts, 2), 2);
    assert_string_equal(log.last, "Out of memory");
    assert_int_equal(compile_texts(NULL, &log, texts, 2), 2);
    assert_int_equal(log.errors, 2);
    ptx_compiler_destroy(compiler);
}

/* The compiler keeps results of up to 64 MiB in memory. Above this limit it drops the result that
 * was used least recently, and must compile its text again. */
static void test_memory_is_limited(void **state)
{
    (void)state;
    enum { LARGE = 8 << 20, COUNT = 6 };
    struct ptx_compiler *compiler = create("good.so", &LOADER, false);
    char *text = malloc(LARGE + 1);
    const char *texts[] = {text};
    struct log log = {.errors = 0};
    assert_non_null(text);
    memset(text, 'x', LARGE);
    text[LARGE] = 0;
    for (int i = 0; i < COUNT; i++) {
        text[0] = (char)('a' + i);
        compile_texts(compiler, &log, texts, 1);
    }
    compile_texts(compiler, &log, texts, 1);
    assert_int_equal(ptx_compiler_counts(compiler).cached, 1);
    text[0] = 'a'; /* the text of the result that was dropped */
    compile_texts(compiler, &log, texts, 1);
    assert_int_equal(ptx_compiler_counts(compiler).cached, 1);
    assert_int_equal(ptx_compiler_counts(compiler).compiled, COUNT + 1);
    ptx_compiler_destroy(compiler);
    free(text);
}

static int make_files(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        FILE *stream = fopen(path_of(i ? "bad.so" : "good.so"), "w");
        assert_non_null(stream);
        fclose(stream);
    }
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(path_of("good.so"));
    unlink(path_of("bad.so"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_share_results),
        cmocka_unit_test(test_nothing_is_kept_without_a_cache),
        cmocka_unit_test(test_a_failure_is_reported_and_not_kept),
        cmocka_unit_test(test_a_library_that_cannot_be_used),
        cmocka_unit_test(test_a_lack_of_memory_is_an_error),
        cmocka_unit_test(test_memory_is_limited),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
