/* Runs the optimiser as a process; see optimiser_process.h. */
#define _GNU_SOURCE /* asprintf */
#include "compile/optimiser_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "compile/process.h"
#include "compile/temporary_folder.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* The request                                                                                   */

static bool write_input(const char *folder, size_t number, const struct warpld_intermediate *input)
{
    char name[32];
    snprintf(name, sizeof name, "%zu", number);
    return temporary_folder_write(folder, name, (struct bytes){input->data, input->data_size});
}

static bool write_words(FILE *file, const struct optimiser_job *job)
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
        fprintf(file, "%c%d%s%c", OPTIMISER_INPUT, job->inputs[i].is_fat_binary,
                job->inputs[i].name, 0);
    return !ferror(file);
}

static bool write_request(const char *folder, const struct optimiser_job *job)
{
    for (size_t i = 0; i < job->inputs_count; i++)
        if (!write_input(folder, i, &job->inputs[i]))
            return false;
    FILE *file = temporary_folder_open(folder, OPTIMISER_REQUEST);
    bool written = file && write_words(file, job);
    return file && !fclose(file) && written;
}

/* --------------------------------------------------------------------------------------------- */
/* The process                                                                                   */

static char *failure(const char *what, const char *name, int error)
{
    char *text;
    return asprintf(&text, "Could not %s '%s': %s\n", what, name, strerror(error)) < 0 ? NULL
                                                                                       : text;
}

static void run_in(const struct temporary_folder *temporary, const char *program,
                   const struct optimiser_job *job, struct optimiser_output *output)
{
    const char *folder = temporary->path;
    const char *arguments[] = {program, "--optimise", NULL};
    struct process_plan plan = {arguments, folder, OPTIMISER_MESSAGES};
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
    const struct process_watch watch = {job->seconds, &temporary->held};
    struct process_result result = process_wait(process, &watch);
    output->milliseconds = result.milliseconds;
    if (result.end == PROCESS_SUCCEEDED)
        output->code = temporary_folder_read(folder, OPTIMISER_CODE, &output->code_size);
    output->messages = result.end == PROCESS_TIMED_OUT
                           ? failure("wait any longer for", program, ETIMEDOUT)
                           : temporary_folder_read(folder, OPTIMISER_MESSAGES, &size);
}

bool optimise_in_helper(const char *program, const char *temporary, const struct optimiser_job *job,
                        struct optimiser_output *output)
{
    struct temporary_folder folder;
    *output = (struct optimiser_output){.code = NULL};
    int error = temporary_folder_create(&folder, temporary);
    if (!error)
        run_in(&folder, program, job, output);
    else if (folder.path)
        output->messages = failure("create the temporary folder", folder.path, error);
    temporary_folder_remove(&folder);
    return output->code || output->messages;
}
