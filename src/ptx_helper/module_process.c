/* Makes modules that keep names visible, in a child process; see module_process.h.
 *
 * The child makes the first module without a request, for the kept names that the job already has.
 * Each later request is the number of names, followed by a record for each name: its address space,
 * the size of the variable, the length of the name, and the name. The answer is the size of the
 * module, followed by its bytes. */
#define _POSIX_C_SOURCE 200809L
#include "ptx_helper/module_process.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/optimiser.h"
#include "compile/optimiser_process.h"
#include "compile/plugin/optimise.h"
#include "warpld.h"

struct name_head {
    size_t address_space;
    size_t variable_size;
    size_t length; /* with the NUL */
};

/* --------------------------------------------------------------------------------------------- */
/* Both sides                                                                                    */

/* Returns false after an error, for example if the other process has ended. */
static bool send_all(int to, const void *data, size_t size)
{
    const char *rest = data;
    while (size) {
        ssize_t sent = send(to, rest, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        rest += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* Returns false after an error, or if the other process has ended. */
static bool receive_all(int from, void *data, size_t size)
{
    char *rest = data;
    while (size) {
        ssize_t got = recv(from, rest, size, 0);
        if (!got || (got < 0 && errno != EINTR))
            return false;
        rest += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* The child                                                                                     */

static bool receive_name(int from, struct warpld_kept_name *name)
{
    struct name_head head;
    if (!receive_all(from, &head, sizeof head))
        return false;
    char *text = malloc(head.length);
    *name = (struct warpld_kept_name){
        .name = text,
        .address_space = (unsigned)head.address_space,
        .variable_size = head.variable_size,
    };
    return text && receive_all(from, text, head.length);
}

/* Receives the names of a request and stores them in the job. They are never freed, because the
 * process may use them until it ends. */
static bool receive_names(int from, struct optimiser_job *job)
{
    size_t count;
    if (!receive_all(from, &count, sizeof count))
        return false;
    struct warpld_kept_name *names = calloc(count, sizeof *names);
    bool has_all = names != NULL;
    for (size_t i = 0; i < count && has_all; i++)
        has_all = receive_name(from, &names[i]);
    job->kept = names;
    job->kept_count = count;
    return has_all;
}

static bool make_module(const struct optimiser_job *job, int to)
{
    struct optimiser_module module = {NULL, 0};
    struct optimiser_output output = {.code = NULL};
    bool is_sent = optimise_make_module(job, &module, &output) && module.data &&
                   send_all(to, &module.size, sizeof module.size) &&
                   send_all(to, module.data, module.size);
    free(module.data);
    free(output.messages);
    return is_sent;
}

/* Makes modules until one fails or the parent has ended. Ends the child without running exit
 * handlers. */
static _Noreturn void serve(struct optimiser_job job, int parent)
{
    while (make_module(&job, parent) && receive_names(parent, &job))
        ;
    _exit(EXIT_SUCCESS);
}

/* --------------------------------------------------------------------------------------------- */
/* The parent                                                                                    */

static bool send_names(int to, const struct warpld_kept_name *names, size_t count)
{
    bool is_sent = send_all(to, &count, sizeof count);
    for (size_t i = 0; i < count && is_sent; i++) {
        const struct name_head head = {names[i].address_space, names[i].variable_size,
                                       strlen(names[i].name) + 1};
        is_sent = send_all(to, &head, sizeof head) && send_all(to, names[i].name, head.length);
    }
    return is_sent;
}

static bool receive_module(int from, struct optimiser_module *module)
{
    if (!receive_all(from, &module->size, sizeof module->size))
        return false;
    module->data = malloc(module->size);
    return module->data && receive_all(from, module->data, module->size);
}

/* Asks the child for the module that keeps `names` visible. If the child fails, sets no module and
 * ends the child. */
static void ask(void *context, const struct warpld_kept_name *names, size_t count,
                struct optimiser_module *module)
{
    struct module_process *process = context;
    bool is_asked =
        process->id && (!process->has_had_first || send_names(process->socket, names, count));
    process->has_had_first = true;
    if (is_asked && receive_module(process->socket, module))
        return;
    free(module->data);
    *module = (struct optimiser_module){NULL, 0};
    module_process_end(process);
}

void module_process_start(struct module_process *process, struct optimiser_job *job)
{
    int ends[2];
    *process = (struct module_process){.id = 0};
    if (!job->kept_count || !job->nvvm || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return;
    pid_t id = fork();
    if (!id) {
        close(ends[0]);
        close(OPTIMISER_ANSWER); /* otherwise the pipe would be open as long as the child runs, even
                                    if the parent has ended */
        serve(*job, ends[1]);
    }
    close(ends[1]);
    if (id < 0) {
        close(ends[0]);
        return;
    }
    *process = (struct module_process){.id = id, .socket = ends[0]};
    job->ask_module = ask;
    job->module_context = process;
}

void module_process_end(struct module_process *process)
{
    if (!process->id)
        return;
    close(process->socket);
    while (waitpid(process->id, NULL, 0) < 0 && errno == EINTR)
        ;
    process->id = 0;
}
