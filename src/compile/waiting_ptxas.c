/* A ptxas that waits for its text; see waiting_ptxas.h. */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ */
#include "compile/waiting_ptxas.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "compile/ptxas_process.h"

/* The name of the file with the text until it is renamed to PTXAS_SOURCE. */
static const char TEXT[] = "text";

bool waiting_ptxas_prepare(struct waiting_ptxas *ptxas, const char *temporary)
{
    enum { LARGEST = 1 << 20 }; /* default of /proc/sys/fs/pipe-max-size */
    int ends[2];
    *ptxas = (struct waiting_ptxas){.source = -1, .input = -1};
    if (temporary_folder_create(&ptxas->folder, temporary) || pipe2(ends, O_CLOEXEC))
        return false;
    ptxas->input = ends[0];
    ptxas->source = ends[1];
    fcntl(ptxas->source, F_SETPIPE_SZ, (int)LARGEST);
    /* The descriptor of the input must not be 0, because 0 in process_plan means the standard input
     * of this program. It must not be 1 or 2, because ptxas gets the file PTXAS_MESSAGES as
     * descriptors 1 and 2. */
    return ptxas->input > STDERR_FILENO &&
           !symlinkat("/proc/self/fd/0", dirfd(ptxas->folder.stream), PTXAS_SOURCE);
}

bool waiting_ptxas_start(struct waiting_ptxas *ptxas, const char *const *arguments)
{
    const struct process_plan plan = {
        .arguments = arguments,
        .folder = ptxas->folder.path,
        .messages = PTXAS_MESSAGES,
        .input = ptxas->input,
    };
    ptxas->runs = ptxas->input >= 0 && !process_start(&plan, &ptxas->process);
    process_close(&ptxas->input);
    return ptxas->runs;
}

/* ptxas opens PTXAS_SOURCE a second time when it has read the pipe to its end (see
 * waiting_ptxas.h). So, before the pipe is closed, a file with the text replaces the symbolic link
 * of this name. */
bool waiting_ptxas_give(struct waiting_ptxas *ptxas, struct bytes text)
{
    int folder = dirfd(ptxas->folder.stream);
    int capacity = fcntl(ptxas->source, F_GETPIPE_SZ);
    bool is_given = capacity >= 0 && text.size <= (uint64_t)capacity &&
                    temporary_folder_write(ptxas->folder.path, TEXT, text) &&
                    !file_write_all(ptxas->source, text) &&
                    !renameat(folder, TEXT, folder, PTXAS_SOURCE);
    if (is_given)
        process_close(&ptxas->source);
    return is_given;
}

struct process_result waiting_ptxas_wait(struct waiting_ptxas *ptxas, unsigned seconds)
{
    char messages[PATH_MAX];
    snprintf(messages, sizeof messages, "%s/%s", ptxas->folder.path, PTXAS_MESSAGES);
    const struct process_watch watch = {seconds, &ptxas->folder.held, messages};
    ptxas->runs = false;
    return process_wait(ptxas->process, &watch);
}

void waiting_ptxas_end(struct waiting_ptxas *ptxas)
{
    process_close(&ptxas->input);
    if (ptxas->runs)
        process_kill(ptxas->process);
    ptxas->runs = false;
    process_close(&ptxas->source);
    temporary_folder_remove(&ptxas->folder);
}
