/* The table of --stats; see statistics.h. */
#include "cli/inspect/statistics.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "compile/ptx_compiler.h"

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static struct pass_measure measure_now(const char *name)
{
    struct timespec now;
    struct rusage usage = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    getrusage(RUSAGE_SELF, &usage);
    return (struct pass_measure){
        .name = name,
        .start = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6,
        .cpu = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
        .peak = usage.ru_maxrss,
    };
}

void statistics_begin_pass(void *context, const char *name)
{
    struct pass_measures *measures = context;
    if (measures->count < MOST_PASSES)
        measures->passes[measures->count++] = measure_now(name);
}

static void print_pass(const struct pass_measure *pass, const struct pass_measure *next)
{
    fprintf(stderr, "%-24s %10.3f %10.3f %10.1f\n", pass->name, next->start - pass->start,
            next->cpu - pass->cpu, (double)next->peak / 1024);
}

static void print_passes(const struct pass_measures *measures)
{
    struct pass_measure end = measure_now("total");
    fprintf(stderr, "%-24s %10s %10s %10s\n", "pass", "wall ms", "CPU ms", "peak MiB");
    for (size_t i = 0; i < measures->count; i++)
        print_pass(&measures->passes[i], i + 1 < measures->count ? &measures->passes[i + 1] : &end);
    if (measures->count) {
        struct pass_measure all = measures->passes[0];
        all.name = end.name;
        print_pass(&all, &end);
    }
}

static void print_number(const char *name, unsigned long long number)
{
    fprintf(stderr, "%-24s %10llu\n", name, number);
}

void statistics_print(const struct pass_measures *measures, const struct warpld_link *link,
                      const struct ptx_compiler_counts *ptx)
{
    struct warpld_statistics numbers = {.size = sizeof numbers};
    print_passes(measures);
    if (warpld_get_statistics(link, &numbers) != WARPLD_OK)
        return;
    print_number("files", numbers.files);
    print_number("input bytes", numbers.input_bytes);
    print_number("objects", numbers.objects);
    print_number("input sections", numbers.input_sections);
    print_number("relocations", numbers.relocations);
    print_number("names", numbers.names);
    print_number("functions", numbers.functions);
    print_number("kernels", numbers.kernels);
    print_number("output sections", numbers.output_sections);
    print_number("output symbols", numbers.output_symbols);
    print_number("output bytes", numbers.output_bytes);
    print_number("bytes of memory", numbers.memory);
    print_number("images from the cache", numbers.prepared_images);
    print_number("PTX compiled", ptx->compiled);
    print_number("PTX from the cache", ptx->cached);
}
