/* Link-time optimisation as a process; see optimise_request.h and compile/optimiser_process.h. */
#define _POSIX_C_SOURCE 200809L /* ftruncate */
#include "ptx_helper/optimise_request.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "compile/optimiser.h"
#include "compile/optimiser_process.h"
#include "compile/plugin/optimise.h"
#include "ptx_helper/module_process.h"
#include "warpld.h"

enum { DECIMAL = 10 };

static int fail(const char *about, const char *reason)
{
    fprintf(stderr, "warpld-ptx-helper: '%s': %s\n", about, reason);
    return EXIT_FAILURE;
}

/* The next string of the request; NULL at its end. */
static const char *next_word(struct bytes *rest)
{
    const char *word = (const char *)rest->data;
    const char *end = rest->size ? memchr(word, 0, (size_t)rest->size) : NULL;
    if (!end)
        return NULL;
    rest->data += end - word + 1;
    rest->size -= (uint64_t)(end - word) + 1;
    return word;
}

/* The lists of a job while it is read; each is large enough for all words of the request. */
struct request {
    struct optimiser_job job;
    const char **options;
    struct warpld_kept_name *kept;
    struct warpld_intermediate *inputs;
};

static bool map_input(struct request *request, const char *input)
{
    char name[32];
    struct mapped_file file; /* until the process ends */
    snprintf(name, sizeof name, "%zu", request->job.inputs_count);
    if (file_map(&file, name))
        return false;
    request->inputs[request->job.inputs_count++] =
        (struct warpld_intermediate){.name = input + 1,
                                     .data = file.bytes.data,
                                     .data_size = (size_t)file.bytes.size,
                                     .is_fat_binary = *input == '1'};
    return true;
}

static struct warpld_kept_name read_kept(const char *word)
{
    char *end;
    unsigned space = (unsigned)strtoul(word, &end, DECIMAL);
    size_t size = (size_t)strtoull(end, &end, DECIMAL);
    return (struct warpld_kept_name){
        .name = end + (*end == ' '), .address_space = space, .variable_size = size};
}

static bool take_word(struct request *request, const char *word)
{
    struct optimiser_job *job = &request->job;
    switch (*word) {
    case OPTIMISER_OPTION:
        request->options[job->options_count++] = word + 1;
        return true;
    case OPTIMISER_OBJECT:
        job->makes_object = true;
        return true;
    case OPTIMISER_PART:
        job->is_part = true;
        return true;
    case OPTIMISER_KEPT:
        request->kept[job->kept_count++] = read_kept(word + 1);
        return true;
    case OPTIMISER_INPUT:
        return map_input(request, word + 1);
    default:
        return false;
    }
}

static bool read_request(struct request *request, struct bytes words)
{
    struct optimiser_job *job = &request->job;
    size_t most = (size_t)words.size;
    request->options = calloc(most, sizeof *request->options);
    request->kept = calloc(most, sizeof *request->kept);
    request->inputs = calloc(most, sizeof *request->inputs);
    if (!request->options || !request->kept || !request->inputs)
        return false;
    *job = (struct optimiser_job){.options = request->options, .kept = request->kept};
    job->inputs = request->inputs;
    job->nvjitlink = next_word(&words);
    job->nvvm = next_word(&words);
    job->nvvm_target = next_word(&words);
    if (job->nvvm && !*job->nvvm)
        job->nvvm = NULL;
    for (const char *word; (word = next_word(&words));)
        if (!take_word(request, word))
            return false;
    return job->nvvm_target;
}

/* Writes the code to its file, and messages to standard error. */
static int run(struct optimiser_job *job)
{
    struct optimiser_output output;
    struct module_process process;
    module_process_start(&process, job);
    bool has_memory = optimise_in_process(job, &output);
    module_process_end(&process);
    if (!has_memory)
        return fail(OPTIMISER_REQUEST, "out of memory");
    if (output.has_repeated && !ftruncate(STDERR_FILENO, 0)) /* a file, see optimiser_process.c */
        lseek(STDERR_FILENO, 0, SEEK_SET);
    if (output.messages)
        fputs(output.messages, stderr);
    struct bytes code = {(const uint8_t *)output.code, output.code_size};
    int error = output.code ? file_replace(OPTIMISER_CODE, code) : 0;
    bool has_code = output.code;
    free(output.code);
    free(output.messages);
    if (error)
        return fail(OPTIMISER_CODE, strerror(error));
    return has_code ? EXIT_SUCCESS : EXIT_FAILURE;
}

int optimise_request(void)
{
    struct mapped_file file;
    struct request request = {.options = NULL};
    if (file_map(&file, OPTIMISER_REQUEST))
        return fail(OPTIMISER_REQUEST, "cannot be read");
    int status = read_request(&request, file.bytes) ? run(&request.job)
                                                    : fail(OPTIMISER_REQUEST, "is damaged");
    free(request.options);
    free(request.kept);
    free(request.inputs);
    file_unmap(&file);
    return status;
}
