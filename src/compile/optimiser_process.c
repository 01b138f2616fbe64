/* Runs the optimiser as a process; see optimiser_process.h.
 *
 * The files that the two programs share have no names, so that nothing remains if this program is
 * killed. */
#define _GNU_SOURCE /* open_memstream, pipe2 */
#include "compile/optimiser_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/nameless_file.h"
#include "compile/process.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* Descriptors                                                                                   */

/* Descriptors for the exchange with the process; -1: not open. */
struct channels {
    int request;
    int messages;
    int answer; /* the end of the pipe to read from */
    int answer_of_process;
};

static void close_channels(struct channels *channels)
{
    process_close(&channels->request);
    process_close(&channels->messages);
    process_close(&channels->answer);
    process_close(&channels->answer_of_process);
}

/* Moves the channel to a higher descriptor if its present descriptor is reserved in the process:
 * for a standard stream or for the answer. */
static void move_up(int *channel)
{
    int older = *channel;
    if (older < 0 || older > OPTIMISER_ANSWER)
        return;
    *channel = fcntl(older, F_DUPFD_CLOEXEC, OPTIMISER_ANSWER + 1);
    close(older);
}

static bool open_channels(struct channels *channels, const char *folder)
{
    int ends[2] = {-1, -1};
    *channels = (struct channels){-1, -1, -1, -1};
    if (pipe2(ends, O_CLOEXEC))
        return false;
    channels->answer = ends[0];
    channels->answer_of_process = ends[1];
    channels->request = nameless_file_open("warpld-request", folder);
    channels->messages = nameless_file_open("warpld-messages", folder);
    move_up(&channels->answer);
    move_up(&channels->answer_of_process);
    move_up(&channels->request);
    move_up(&channels->messages);
    return channels->answer >= 0 && channels->answer_of_process >= 0 && channels->request >= 0 &&
           channels->messages >= 0;
}

/* --------------------------------------------------------------------------------------------- */
/* The request                                                                                   */

static void write_words(FILE *file, const struct optimiser_job *job)
{
    fprintf(file, "%s%c%s%c%s%c", job->nvjitlink, 0, job->nvvm ? job->nvvm : "", 0,
            job->nvvm_target, 0);
    if (job->makes_object)
        fprintf(file, "%c%c", OPTIMISER_OBJECT, 0);
    if (job->is_part)
        fprintf(file, "%c%c", OPTIMISER_PART, 0);
    for (size_t i = 0; i < job->options_count; i++)
        fprintf(file, "%c%s%c", OPTIMISER_OPTION, job->options[i], 0);
    for (size_t i = 0; i < job->kept_count; i++)
        fprintf(file, "%c%u %zu %s%c", OPTIMISER_KEPT, job->kept[i].address_space,
                job->kept[i].variable_size, job->kept[i].name, 0);
    for (size_t i = 0; i < job->inputs_count; i++)
        fprintf(file, "%c%d %zu %s%c", OPTIMISER_INPUT, job->inputs[i].is_fat_binary,
                job->inputs[i].data_size, job->inputs[i].name, 0);
    putc(0, file);
}

/* Writes the data at the next multiple of the alignment from *end on. Sets *end to the end of the
 * data. */
static int write_data(int file, uint64_t *end, struct bytes data)
{
    uint64_t position = align_up(*end, OPTIMISER_ALIGNMENT);
    *end = position + data.size;
    return lseek(file, (off_t)position, SEEK_SET) < 0 ? errno : file_write_all(file, data);
}

/* Returns 0 or an errno value. */
static int write_request(int file, const struct optimiser_job *job)
{
    char *words = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&words, &size);
    if (!text)
        return ENOMEM;
    write_words(text, job);
    bool failed = ferror(text);
    failed |= fclose(text) != 0;
    uint64_t end = 0;
    int error = failed ? ENOMEM : write_data(file, &end, (struct bytes){(uint8_t *)words, size});
    for (size_t i = 0; i < job->inputs_count && !error; i++)
        error =
            write_data(file, &end, (struct bytes){job->inputs[i].data, job->inputs[i].data_size});
    free(words);
    return error;
}

/* --------------------------------------------------------------------------------------------- */
/* The answer                                                                                    */

/* Reads the size of the code, and the code. Returns false if memory has run out. */
static bool read_code(struct process_reading *reading, struct optimiser_output *output)
{
    size_t size;
    if (!process_read_all(reading, &size, sizeof size))
        return true;
    char *code = size < SIZE_MAX ? malloc(size + 1) : NULL;
    if (!code)
        return false;
    if (!process_read_all(reading, code, size)) {
        free(code);
        return true;
    }
    code[size] = 0;
    output->code = code;
    output->code_size = size;
    return true;
}

static bool read_answer(struct process_reading *reading, const struct optimiser_job *job,
                        struct optimiser_output *output)
{
    char kind;
    while (process_read_all(reading, &kind, sizeof kind)) {
        if (kind == OPTIMISER_CODE)
            return read_code(reading, output);
        if (job->started)
            job->started(job->started_context);
    }
    return true;
}

/* Reads the messages of the process. If there are too many, only the first ones are kept. Returns
 * false if memory has run out. */
static bool read_messages(int file, struct optimiser_output *output)
{
    struct stat status;
    if (fstat(file, &status) || !status.st_size)
        return true;
    size_t size =
        status.st_size > PROCESS_MOST_MESSAGES ? PROCESS_KEPT_MESSAGES : (size_t)status.st_size;
    output->messages = malloc(size + 1);
    if (!output->messages)
        return false;
    ssize_t got = pread(file, output->messages, size, 0);
    output->messages[got > 0 ? got : 0] = 0;
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* The process                                                                                   */

static int start(struct channels *channels, const char *program, struct optimiser_process *process)
{
    const char *arguments[] = {program, "--optimise", NULL};
    const struct process_plan plan = {
        .arguments = arguments,
        .input = channels->request,
        .errors = channels->messages,
        .answer = channels->answer_of_process,
    };
    int error = process_start(&plan, &process->id);
    if (error)
        process->id = 0;
    /* Only the process can write to the pipe from now on. The answer ends when the process ends. */
    process_close(&channels->answer_of_process);
    return error;
}

/* Starts the process with its request. Records in *process which step failed, and why. */
static bool begin(struct channels *channels, const char *program, const struct optimiser_job *job,
                  struct optimiser_process *process)
{
    process->failed = "share files with";
    process->error = open_channels(channels, job->temporary_folder) ? 0 : errno;
    if (process->error)
        return false;
    process->failed = "write the request for";
    process->error = write_request(channels->request, job);
    if (process->error)
        return false;
    process->failed = "run";
    process->error = start(channels, program, process);
    if (process->error)
        return false;
    process->failed = NULL;
    return true;
}

/* Reads the answer and the messages of the process. Returns false if memory has run out. */
static bool read_until_answered(const struct channels *channels, const sigset_t *held,
                                const struct optimiser_job *job, struct optimiser_output *output,
                                struct optimiser_process *process)
{
    char messages[64];
    snprintf(messages, sizeof messages, "/proc/self/fd/%d", channels->messages);
    const struct process_watch watch = {job->seconds, held, messages};
    struct process_reading reading = process_begin_reading(channels->answer, &watch);
    bool has_memory = read_answer(&reading, job, output);
    process->seconds = watch.seconds;
    process->end.end = process_end_reading(&reading);
    if (process->end.end != PROCESS_SUCCEEDED || !has_memory) {
        process_kill(process->id);
        process->id = 0;
    } else if (!output->code) {
        optimiser_process_end(process, held, output);
    }
    return read_messages(channels->messages, output) && has_memory;
}

bool optimise_in_helper(const char *program, const sigset_t *held, const struct optimiser_job *job,
                        struct optimiser_output *output, struct optimiser_process *process)
{
    struct channels channels;
    *output = (struct optimiser_output){.code = NULL};
    *process = (struct optimiser_process){.id = 0};
    bool has_memory = !begin(&channels, program, job, process) ||
                      read_until_answered(&channels, held, job, output, process);
    close_channels(&channels);
    return has_memory;
}

void optimiser_process_end(struct optimiser_process *process, const sigset_t *held,
                           struct optimiser_output *output)
{
    enum { SECONDS_TO_END = 2 };
    const struct process_watch watch = {SECONDS_TO_END, held, NULL};
    if (!process->id)
        return;
    process->end = process_wait(process->id, &watch);
    process->seconds = watch.seconds;
    process->id = 0;
    output->milliseconds = process->end.milliseconds;
}

/* --------------------------------------------------------------------------------------------- */
/* Faults                                                                                        */

/* How the process ended, as the end of a sentence, or NULL. Messages of the process say more than
 * its exit status, so the status is only described if the process printed none. */
static const char *ending(struct arena *arena, const struct optimiser_output *output,
                          const struct optimiser_process *process)
{
    const struct process_watch watch = {.seconds = process->seconds};
    const char *fault = process_fault(arena, &process->end, &watch);
    if (fault || output->messages || process->end.end == PROCESS_INTERRUPTED)
        return fault;
    return process->end.status ? arena_format(arena, "ended with exit status %d and no message",
                                              process->end.status)
                               : "ended without a result";
}

static const char *inputs_of(struct arena *arena, const struct optimiser_job *job)
{
    size_t others = job->inputs_count - 1;
    const char *first = job->inputs[0].name;
    return others ? arena_format(arena, "'%s' and %zu other input%s", first, others,
                                 others > 1 ? "s" : "")
                  : arena_format(arena, "'%s'", first);
}

const char *optimiser_process_fault(struct arena *arena, const char *program,
                                    const struct optimiser_job *job,
                                    const struct optimiser_output *output,
                                    const struct optimiser_process *process)
{
    if (process->failed)
        return arena_format(arena, "Could not %s '%s': %s", process->failed, program,
                            strerror(process->error));
    const char *end = output->code ? NULL : ending(arena, output, process);
    return end ? arena_format(arena, "'%s' %s, optimising the LTO-IR of %s with '%s'", program, end,
                              inputs_of(arena, job), job->nvjitlink)
               : NULL;
}
