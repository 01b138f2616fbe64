/* Makes the module of kept names in a child; see module_process.h. */
#define _POSIX_C_SOURCE 200809L
#include "ptx_helper/module_process.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "compile/optimiser.h"
#include "compile/plugin/optimise.h"

/* Writes the module, or nothing, and ends the child without running exit handlers. */
static _Noreturn void make(const struct optimiser_job *job, int file)
{
    struct optimiser_module module = {NULL, 0};
    struct optimiser_output output = {.code = NULL};
    bool has_module =
        optimise_make_module(job, &module, &output) && module.data &&
        !file_write_all(file, (struct bytes){(const uint8_t *)module.data, module.size});
    _exit(has_module ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Returns false if the pipe or memory fails. */
static bool read_more(int file, struct optimiser_module *module, bool *is_at_end)
{
    enum { PART = 1 << 16 };
    char *data = realloc(module->data, module->size + PART);
    if (!data)
        return false;
    module->data = data;
    ssize_t got = read(file, data + module->size, PART);
    *is_at_end = !got;
    module->size += got > 0 ? (size_t)got : 0;
    return got >= 0 || errno == EINTR;
}

static bool succeeded(pid_t id)
{
    int status = 0;
    while (waitpid(id, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

/* Reads the module. Sets none if the child failed or the pipe ended early. */
static void await(void *context, struct optimiser_module *module)
{
    struct module_process *process = context;
    bool is_at_end = !process->id;
    while (!is_at_end && read_more(process->output, module, &is_at_end))
        ;
    bool is_whole = process->id && succeeded(process->id) && is_at_end;
    if (process->id)
        close(process->output);
    process->id = 0;
    if (is_whole)
        return;
    free(module->data);
    *module = (struct optimiser_module){NULL, 0};
}

void module_process_start(struct module_process *process, struct optimiser_job *job)
{
    int ends[2];
    *process = (struct module_process){.id = 0};
    if (!job->kept_count || !job->nvvm || pipe(ends))
        return;
    pid_t id = fork();
    if (!id)
        make(job, ends[1]);
    close(ends[1]);
    if (id < 0) {
        close(ends[0]);
        return;
    }
    *process = (struct module_process){id, ends[0]};
    job->await_module = await;
    job->module_context = process;
}

void module_process_end(struct module_process *process)
{
    struct optimiser_module module = {NULL, 0};
    await(process, &module);
    free(module.data);
}
