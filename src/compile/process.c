/* Running other programs; see process.h. */
#define _GNU_SOURCE /* environ, posix_spawn_file_actions_addchdir_np */
#include "compile/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const char *process_file_name(struct arena *arena, const char *name)
{
    char folder[PATH_MAX];
    if (*name == '/' || !getcwd(folder, sizeof folder))
        return name;
    return arena_format(arena, "%s/%s", folder, name);
}

static int spawn(const struct process_plan *plan, const posix_spawn_file_actions_t *actions,
                 pid_t *process)
{
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (plan->signals) {
        posix_spawnattr_setsigmask(&attributes, plan->signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    }
    /* posix_spawnp has the parameters of execv: it does not change the arguments. */
    int error = posix_spawnp(process, plan->arguments[0], actions, &attributes,
                             (char *const *)plan->arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int process_start(const struct process_plan *plan, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (plan->folder)
        posix_spawn_file_actions_addchdir_np(&actions, plan->folder);
    if (plan->messages)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, plan->messages,
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int error = spawn(plan, &actions, process);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static double milliseconds_of(const struct timeval *time)
{
    return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

bool process_wait(pid_t process, double *milliseconds)
{
    struct rusage usage = {0};
    int status;
    pid_t ended;
    do
        ended = wait4(process, &status, 0, &usage);
    while (ended < 0 && errno == EINTR);
    if (milliseconds)
        *milliseconds = milliseconds_of(&usage.ru_utime) + milliseconds_of(&usage.ru_stime);
    /* The system does not report how the children of a program end that ignores SIGCHLD. */
    bool is_unknown = ended < 0 && errno == ECHILD;
    return is_unknown || (ended > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
}

/* --------------------------------------------------------------------------------------------- */
/* Reading what a program writes                                                                 */

/* Far more than any program writes whose output is read here. */
enum { MOST_TEXT = 16 << 20 };

struct read_text {
    GROWING_ARRAY(char, bytes);
};

static char *read_all(struct arena *arena, int descriptor)
{
    struct read_text text = {.bytes = NULL};
    char buffer[4096];
    ssize_t size;
    while ((size = read(descriptor, buffer, sizeof buffer)) != 0) {
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            break;
        for (ssize_t i = 0; i < size && text.bytes_count < MOST_TEXT; i++)
            *ARENA_APPEND(arena, &text, bytes) = buffer[i];
    }
    return arena_copy_string(arena, text.bytes ? text.bytes : "", text.bytes_count);
}

static int start_writing(const struct process_plan *plan, enum process_stream stream,
                         const int *ends, pid_t *process)
{
    int other = stream == PROCESS_OUTPUT ? PROCESS_MESSAGES : PROCESS_OUTPUT;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, other, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], (int)stream);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int error = spawn(plan, &actions, process);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

const char *process_read(struct arena *arena, const struct process_plan *plan,
                         enum process_stream stream)
{
    int ends[2];
    pid_t process;
    if (pipe(ends))
        return NULL;
    int error = start_writing(plan, stream, ends, &process);
    close(ends[1]);
    const char *text = error ? NULL : read_all(arena, ends[0]);
    close(ends[0]);
    bool succeeded = !error && process_wait(process, NULL);
    return succeeded ? text : NULL;
}
