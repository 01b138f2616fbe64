/* Compiles the same PTX repeatedly, in several ways, which take turns:
 *
 *     ptx_compile RUNS ARCH PTX FOLDER LIBRARY...
 *
 * prints the milliseconds of one compilation with ptxas as a process, from the cache in memory,
 * from the cache in FOLDER, and with each LIBRARY in this process. Each number is a median. The
 * first run of each way, which loads libraries, is not counted. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compile/plugin/loader.h"
#include "compile/ptx_compiler.h"
#include "timing.h"
#include "warpld.h"

enum { MOST_RUNS = 1000, MOST_WAYS = 8 };

struct way {
    struct ptx_compiler_settings settings;
    struct ptx_compiler *compiler; /* for all runs; NULL: each run has its own */
    double times[MOST_RUNS];
};

struct text {
    void *bytes;
    size_t size;
    const char *architecture;
};

static _Noreturn void fail(const char *problem)
{
    fprintf(stderr, "ptx_compile: %s\n", problem);
    exit(1);
}

static void take_message(void *context, enum ptx_message_kind kind, const char *text, size_t size)
{
    (void)context, (void)size;
    if (kind != PTX_MESSAGE_COMPILER)
        fail(text);
}

/* Returns the milliseconds of one compilation. */
static double compile(const struct way *way, const struct text *text)
{
    double start = microseconds_now();
    struct ptx_compiler *compiler =
        way->compiler ? way->compiler : ptx_compiler_create(&way->settings);
    struct ptx_job job = {.compiler = compiler, .message = take_message};
    struct warpld_compile_request request = {
        .size = sizeof request,
        .ptx = text->bytes,
        .ptx_size = text->size,
        .architecture = text->architecture,
    };
    struct warpld_compile_result result = {.size = sizeof result};
    ptx_job_compile(&job, &request, &result, 1);
    if (!result.cubin)
        fail("the text cannot be compiled");
    ptx_job_release(&job, &result, 1);
    if (!way->compiler)
        ptx_compiler_destroy(compiler);
    return (microseconds_now() - start) * 1e-3;
}

static void set_ways(struct way *ways, const char *folder, char **libraries, int count)
{
    const struct ptx_compiler_settings process = {.choice = "process", .path = getenv("PATH")};
    for (int i = 0; i < 3 + count; i++)
        ways[i].settings = process;
    ways[0].settings.no_cache = true;
    ways[2].settings.cache_folder = folder;
    for (int i = 0; i < count; i++)
        ways[3 + i].settings = (struct ptx_compiler_settings){
            .choice = libraries[i],
            .loader = ptx_plugin_loader(),
            .no_cache = true,
        };
    for (int i = 0; i < 3 + count; i++)
        ways[i].compiler = i == 2 ? NULL : ptx_compiler_create(&ways[i].settings);
}

int main(int argc, char **argv)
{
    static struct way ways[MOST_WAYS];
    struct text text;
    int runs = argc > 4 ? atoi(argv[1]) : 0, count = argc - 5;
    if (runs < 1 || runs > MOST_RUNS || count < 0 || count > MOST_WAYS - 3)
        fail("usage: ptx_compile RUNS ARCH PTX FOLDER LIBRARY...");
    text.architecture = argv[2];
    if (!read_whole_file(argv[3], &text.bytes, &text.size))
        fail(argv[3]);
    set_ways(ways, argv[4], argv + 5, count);
    for (int run = -1; run < runs; run++)
        for (int i = 0; i < 3 + count; i++) {
            double time = compile(&ways[i], &text);
            if (run >= 0)
                ways[i].times[run] = time;
        }
    for (int i = 0; i < 3 + count; i++) {
        printf("%.4f%c", median_of(ways[i].times, (size_t)runs), i + 1 < 3 + count ? ' ' : '\n');
        ptx_compiler_destroy(ways[i].compiler);
    }
    free(text.bytes);
    return 0;
}
