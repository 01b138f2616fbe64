/* Reads and answers a request for link-time optimisation; see optimise_request.h and
 * compile/optimiser_process.h. */
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

enum { DECIMAL = 10, FIXED_WORDS = 3 };

static const char REQUEST[] = "/proc/self/fd/0"; /* standard input */

static int fail(const char *about, const char *reason)
{
    fprintf(stderr, "warpld-ptx-helper: '%s': %s\n", about, reason);
    return EXIT_FAILURE;
}

/* Removes the next string from the rest of the request and returns it, or NULL at the end. */
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

/* A job that is being read, and its lists. Each list has capacity for all words of the request. */
struct request {
    struct optimiser_job job;
    const char **options;
    struct warpld_kept_name *kept;
    struct warpld_intermediate *inputs;
};

/* Reads the name and size of an input. Its data follow the last word of the request, so find_data
 * sets their address after all words are read. */
static void read_input(struct request *request, const char *word)
{
    char *end;
    bool is_fat_binary = *word == '1';
    size_t size = (size_t)strtoull(word + 1, &end, DECIMAL);
    request->inputs[request->job.inputs_count++] = (struct warpld_intermediate){
        .name = end + (*end == ' '), .data_size = size, .is_fat_binary = is_fat_binary};
}

/* Sets the address of the data of each input. The data follow the words, which end at offset `end`.
 * Returns false if some of the data are missing. */
static bool find_data(struct request *request, struct bytes file, uint64_t end)
{
    for (size_t i = 0; i < request->job.inputs_count; i++) {
        struct warpld_intermediate *input = &request->inputs[i];
        struct bytes data;
        end = align_up(end, OPTIMISER_ALIGNMENT);
        if (!bytes_part(file, end, input->data_size, &data))
            return false;
        input->data = data.data;
        end += input->data_size;
    }
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
        read_input(request, word + 1);
        return true;
    default:
        return false;
    }
}

/* Returns the number of words in the list of words, which ends with an empty word. The first
 * FIXED_WORDS words can be empty, too. */
static size_t count_words(struct bytes words)
{
    size_t count = 0;
    for (const char *word; (word = next_word(&words)) && (*word || count < FIXED_WORDS);)
        count++;
    return count;
}

/* Reads a job from the bytes of a request. Returns false if the request is damaged or memory has
 * run out. */
static bool read_request(struct request *request, struct bytes file)
{
    struct bytes words = file;
    struct optimiser_job *job = &request->job;
    size_t most = count_words(words) + 1; /* calloc may return NULL for 0 elements */
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
    const char *word;
    while ((word = next_word(&words)) && *word)
        if (!take_word(request, word))
            return false;
    return word && find_data(request, file, (uint64_t)(words.data - file.data));
}

/* --------------------------------------------------------------------------------------------- */
/* The answer                                                                                    */

/* If nobody reads the answer, SIGPIPE ends the process. */
static bool answer(const void *data, size_t size)
{
    return !file_write_all(OPTIMISER_ANSWER, (struct bytes){data, size});
}

static void report_start(void *context)
{
    static const char KIND = OPTIMISER_STARTS;
    (void)context;
    answer(&KIND, sizeof KIND);
}

static bool answer_code(const struct optimiser_output *output)
{
    static const char KIND = OPTIMISER_CODE;
    return answer(&KIND, sizeof KIND) && answer(&output->code_size, sizeof output->code_size) &&
           answer(output->code, output->code_size);
}

/* Runs the job, and writes first its messages, then its answer. The order matters, because the
 * program that reads the answer does not wait until this process ends. */
static int run(struct optimiser_job *job)
{
    struct optimiser_output output;
    struct module_process process;
    module_process_start(&process, job);
    job->started = report_start;
    bool has_memory = optimise_in_process(job, &output);
    /* If the job was attempted twice, discard the messages of the first attempt. Standard error is
     * a file. */
    if (has_memory && output.has_repeated && !ftruncate(STDERR_FILENO, 0))
        lseek(STDERR_FILENO, 0, SEEK_SET);
    if (has_memory && output.messages)
        fputs(output.messages, stderr);
    bool is_answered = has_memory && output.code && answer_code(&output);
    if (!has_memory)
        fail("the request", "out of memory");
    close(OPTIMISER_ANSWER);
    module_process_end(&process);
    free(output.code);
    free(output.messages);
    return is_answered ? EXIT_SUCCESS : EXIT_FAILURE;
}

int optimise_request(void)
{
    struct mapped_file file;
    struct request request = {.options = NULL};
    if (file_map(&file, REQUEST))
        return fail("the request", "cannot be read");
    int status =
        read_request(&request, file.bytes) ? run(&request.job) : fail("the request", "is damaged");
    free(request.options);
    free(request.kept);
    free(request.inputs);
    file_unmap(&file);
    return status;
}
