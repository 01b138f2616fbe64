/* Runs the optimiser as a process; see optimiser_process.h. */
#define _GNU_SOURCE /* asprintf */
#include "compile/optimiser_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "compile/process.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* The folder                                                                                    */

static void remove_folder(const char *folder)
{
    DIR *stream = opendir(folder);
    for (struct dirent *item; stream && (item = readdir(stream));)
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
            unlinkat(dirfd(stream), item->d_name, 0);
    if (stream)
        closedir(stream);
    rmdir(folder);
}

static FILE *create_file(const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    FILE *file = fopen(path, "wbe");
    free(path);
    return file;
}

static bool write_input(const char *folder, size_t number, const struct warpld_intermediate *input)
{
    char name[32];
    snprintf(name, sizeof name, "%zu", number);
    FILE *file = create_file(folder, name);
    bool written = file && fwrite(input->data, 1, input->data_size, file) == input->data_size;
    return file && !fclose(file) && written;
}

static bool write_words(FILE *file, const struct optimiser_job *job)
{
    fprintf(file, "%s%c%s%c%s%c", job->nvjitlink, 0, job->nvvm ? job->nvvm : "", 0,
            job->nvvm_target, 0);
    if (job->makes_object)
        fprintf(file, "%c%c", OPTIMISER_OBJECT, 0);
    for (size_t i = 0; i < job->options_count; i++)
        fprintf(file, "%c%s%c", OPTIMISER_OPTION, job->options[i], 0);
    for (size_t i = 0; i < job->kept_count; i++)
        fprintf(file, "%c%u %zu %s%c", OPTIMISER_KEPT, job->kept[i].address_space,
                job->kept[i].variable_size, job->kept[i].name, 0);
    for (size_t i = 0; i < job->inputs_count; i++)
        fprintf(file, "%c%d%s%c", OPTIMISER_INPUT, job->inputs[i].is_fat_binary,
                job->inputs[i].name, 0);
    return !ferror(file);
}

static bool write_request(const char *folder, const struct optimiser_job *job)
{
    for (size_t i = 0; i < job->inputs_count; i++)
        if (!write_input(folder, i, &job->inputs[i]))
            return false;
    FILE *file = create_file(folder, OPTIMISER_REQUEST);
    bool written = file && write_words(file, job);
    return file && !fclose(file) && written;
}

/* --------------------------------------------------------------------------------------------- */
/* The process                                                                                   */

/* Copies a file with a NUL after it; NULL if there is none, or no memory. */
static char *read_text(const char *folder, const char *name, size_t *size)
{
    char *path, *copy = NULL;
    struct mapped_file file;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    if (!file_map(&file, path)) {
        copy = malloc((size_t)file.bytes.size + 1);
        if (copy) {
            if (file.bytes.size)
                memcpy(copy, file.bytes.data, (size_t)file.bytes.size);
            copy[file.bytes.size] = 0;
            *size = (size_t)file.bytes.size;
        }
        file_unmap(&file);
    }
    free(path);
    return copy;
}

static char *failure(const char *what, const char *name, int error)
{
    char *text;
    return asprintf(&text, "Could not %s '%s': %s\n", what, name, strerror(error)) < 0 ? NULL
                                                                                       : text;
}

static void run_in(const char *folder, const char *program, const sigset_t *held,
                   const sigset_t *outside, const struct optimiser_job *job,
                   struct optimiser_output *output)
{
    const char *arguments[] = {program, "--optimise", NULL};
    struct process_plan plan = {arguments, folder, OPTIMISER_MESSAGES, outside};
    pid_t process;
    size_t size;
    if (!write_request(folder, job)) {
        output->messages = failure("write to the folder", folder, errno);
        return;
    }
    int error = process_start(&plan, &process);
    if (error) {
        output->messages = failure("run", program, error);
        return;
    }
    const struct process_watch watch = {job->seconds, held};
    struct process_result result = process_wait(process, &watch);
    output->milliseconds = result.milliseconds;
    if (result.end == PROCESS_SUCCEEDED)
        output->code = read_text(folder, OPTIMISER_CODE, &output->code_size);
    output->messages = result.end == PROCESS_TIMED_OUT
                           ? failure("wait any longer for", program, ETIMEDOUT)
                           : read_text(folder, OPTIMISER_MESSAGES, &size);
}

bool optimise_in_helper(const char *program, const char *temporary, const struct optimiser_job *job,
                        struct optimiser_output *output)
{
    char *folder;
    sigset_t held, outside;
    *output = (struct optimiser_output){.code = NULL};
    if (asprintf(&folder, "%s/warpld-XXXXXX", temporary && *temporary ? temporary : "/tmp") < 0)
        return false;
    process_hold_signals(&held, &outside);
    if (mkdtemp(folder)) {
        run_in(folder, program, &held, &outside, job, output);
        remove_folder(folder);
    } else {
        output->messages = failure("create the temporary folder", folder, errno);
    }
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    free(folder);
    return output->code || output->messages;
}
