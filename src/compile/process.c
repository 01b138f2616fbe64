/* Running other programs; see process.h. */
#define _GNU_SOURCE /* environ, pipe2, posix_spawn_file_actions_addchdir_np */
#include "compile/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sets NO_SPAWN_IN_FOLDER if the C library lacks posix_spawn_file_actions_addchdir_np. glibc has it
 * since 2.29. musl has it since 1.1.24, and does not define __GLIBC_PREREQ. */
#ifdef __GLIBC_PREREQ
#if !__GLIBC_PREREQ(2, 29)
#define NO_SPAWN_IN_FOLDER
#endif
#endif

const char *process_file_name(struct arena *arena, const char *name)
{
    char folder[PATH_MAX];
    if (*name == '/' || !getcwd(folder, sizeof folder))
        return name;
    return arena_format(arena, "%s/%s", folder, name);
}

/* Signals that this program may ignore, but that must have their default action in a compiler. */
static const int IGNORED[] = {SIGPIPE, SIGXFSZ, SIGCHLD};
enum { IGNORED_COUNT = sizeof IGNORED / sizeof *IGNORED };

/* Descriptors that the program gets from the fields `input`, `errors` and `answer` of the plan. */
static const int STREAMS[] = {STDIN_FILENO, STDERR_FILENO, STDERR_FILENO + 1};
enum { STREAMS_COUNT = sizeof STREAMS / sizeof *STREAMS };

void process_close(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* The descriptor that becomes STREAMS[index] of the program; 0: none. */
static int stream_of(const struct process_plan *plan, size_t index)
{
    const int given[STREAMS_COUNT] = {plan->input, plan->errors, plan->answer};
    return given[index];
}

static int spawn(const struct process_plan *plan, const posix_spawn_file_actions_t *actions,
                 pid_t *process)
{
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults, blocked;
    /* The program has its own process group, so that it can be killed with its children. */
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    sigemptyset(&blocked);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    sigemptyset(&defaults);
    for (size_t i = 0; i < IGNORED_COUNT; i++)
        sigaddset(&defaults, IGNORED[i]);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, flags);
    /* The cast is safe: like execv, posix_spawnp declares the strings as not constant for
     * historical reasons, but does not change them. */
    int error = posix_spawnp(process, plan->arguments[0], actions, &attributes,
                             (char *const *)plan->arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

#ifdef NO_SPAWN_IN_FOLDER
/* Turns the child of a fork into the program. Returns an errno value if that fails. */
static int become_program(const struct process_plan *plan)
{
    setpgid(0, 0);
    for (size_t i = 0; i < IGNORED_COUNT; i++)
        signal(IGNORED[i], SIG_DFL);
    sigset_t blocked;
    sigemptyset(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    if (chdir(plan->folder))
        return errno;
    if (plan->messages) {
        int file = open(plan->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0 || dup2(file, STDERR_FILENO) < 0 || dup2(file, STDOUT_FILENO) < 0)
            return errno;
        close(file);
    }
    for (size_t i = 0; i < STREAMS_COUNT; i++)
        if (stream_of(plan, i) && dup2(stream_of(plan, i), STREAMS[i]) < 0)
            return errno;
    execvp(plan->arguments[0], (char *const *)plan->arguments);
    return errno;
}

/* Starts the program with fork, for C libraries whose posix_spawn cannot change the folder. If exec
 * fails, the child writes the reason to a pipe. A successful exec closes the pipe. */
static int start_in_folder(const struct process_plan *plan, pid_t *process)
{
    int ends[2], error = 0;
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    *process = fork();
    if (!*process) {
        error = become_program(plan);
        _exit(write(ends[1], &error, sizeof error) == sizeof error ? 127 : 126);
    }
    error = *process < 0 ? errno : 0;
    close(ends[1]);
    if (!error && read(ends[0], &error, sizeof error) > 0)
        waitpid(*process, NULL, 0);
    close(ends[0]);
    return error;
}
#endif

/* Plans the steps that set the program's folder and files. A step can fail for lack of memory. Then
 * the program must not start, because it could write to the wrong folder. */
static int plan_files(const struct process_plan *plan, posix_spawn_file_actions_t *actions)
{
    int error = 0;
#ifndef NO_SPAWN_IN_FOLDER
    if (plan->folder)
        error = posix_spawn_file_actions_addchdir_np(actions, plan->folder);
#endif
    if (!error && plan->messages)
        error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, plan->messages,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error && plan->messages)
        error = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    for (size_t i = 0; i < STREAMS_COUNT && !error; i++)
        if (stream_of(plan, i))
            error = posix_spawn_file_actions_adddup2(actions, stream_of(plan, i), STREAMS[i]);
    return error;
}

int process_start(const struct process_plan *plan, pid_t *process)
{
#ifdef NO_SPAWN_IN_FOLDER
    if (plan->folder)
        return start_in_folder(plan, process);
#endif
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = plan_files(plan, &actions);
    if (!error)
        error = spawn(plan, &actions, process);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Signals that this program ignores, as under nohup, are not held. If they were blocked, they would
 * become pending and end the wait. */
void process_hold_signals(sigset_t *held, sigset_t *outside)
{
    static const int ENDING[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigemptyset(held);
    for (size_t i = 0; i < sizeof ENDING / sizeof *ENDING; i++)
        if (!sigaction(ENDING[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(held, ENDING[i]);
    pthread_sigmask(SIG_BLOCK, held, outside);
}

/* --------------------------------------------------------------------------------------------- */
/* Waiting                                                                                       */

static double milliseconds_of(const struct timeval *time)
{
    return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

/* Waits until the process has ended, without any limit. */
static struct process_result reap(pid_t process)
{
    struct rusage usage = {0};
    struct process_result result = {.end = PROCESS_FAILED};
    int status = 0;
    pid_t ended;
    do
        ended = wait4(process, &status, 0, &usage);
    while (ended < 0 && errno == EINTR);
    result.milliseconds = milliseconds_of(&usage.ru_utime) + milliseconds_of(&usage.ru_stime);
    /* If this program ignores SIGCHLD, the system does not report how its children end. An unknown
     * end counts as success. */
    bool is_unknown = ended < 0 && errno == ECHILD;
    if (ended > 0 && WIFEXITED(status))
        result.status = WEXITSTATUS(status);
    if (is_unknown || (ended > 0 && WIFEXITED(status) && !result.status))
        result.end = PROCESS_SUCCEEDED;
    else if (ended > 0 && WIFSIGNALED(status))
        result.signal = WTERMSIG(status);
    return result;
}

static long long milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool has_too_many_messages(const struct process_watch *watch)
{
    struct stat status;
    return watch->messages && !stat(watch->messages, &status) &&
           status.st_size > PROCESS_MOST_MESSAGES;
}

/* How long poll may wait, in milliseconds; -1: without limit. */
static int timeout_of(const struct process_watch *watch, long long left)
{
    enum { BETWEEN_LOOKS = 100 }; /* milliseconds between two looks at the file with messages */
    long long most = watch->messages ? BETWEEN_LOOKS : INT_MAX;
    if (!watch->seconds)
        return watch->messages ? BETWEEN_LOOKS : -1;
    return left < 0 ? 0 : (int)(left < most ? left : most);
}

/* Waits until the descriptor, which is that of a process or of a pipe, can be read, and returns
 * PROCESS_SUCCEEDED. If the watch ends the wait first, returns the reason. `signals` is a
 * descriptor that reports signals, or -1. */
static enum process_end poll_until(int descriptor, int signals, long long start,
                                   const struct process_watch *watch)
{
    long long most = (long long)watch->seconds * 1000;
    for (;;) {
        struct pollfd files[] = {{descriptor, POLLIN, 0}, {signals, POLLIN, 0}};
        long long left = start + most - milliseconds_now();
        int ready = poll(files, sizeof files / sizeof *files, timeout_of(watch, left));
        if (ready < 0 && errno != EINTR)
            return PROCESS_SUCCEEDED; /* poll has failed; the caller then waits without a limit */
        if (ready > 0 && files[0].revents)
            return PROCESS_SUCCEEDED;
        if (ready > 0)
            return PROCESS_INTERRUPTED;
        if (has_too_many_messages(watch))
            return PROCESS_PRINTED_TOO_MUCH;
        if (!ready && watch->seconds && left <= 0)
            return PROCESS_TIMED_OUT;
    }
}

static int open_signals(const struct process_watch *watch)
{
    return watch->signals ? signalfd(-1, watch->signals, SFD_CLOEXEC) : -1;
}

/* Without pidfd_open (before Linux 5.3) the process is neither limited in time nor interrupted. */
static enum process_end watch_process(pid_t process, const struct process_watch *watch)
{
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor < 0)
        return PROCESS_SUCCEEDED;
    int signals = open_signals(watch);
    enum process_end end = poll_until(descriptor, signals, milliseconds_now(), watch);
    close(descriptor);
    if (signals >= 0)
        close(signals);
    return end;
}

struct process_result process_wait(pid_t process, const struct process_watch *watch)
{
    enum process_end end = watch_process(process, watch);
    if (end != PROCESS_SUCCEEDED)
        kill(-process, SIGKILL);
    struct process_result result = reap(process);
    if (end == PROCESS_SUCCEEDED && has_too_many_messages(watch))
        end = PROCESS_PRINTED_TOO_MUCH; /* messages after the last look at the file */
    if (end != PROCESS_SUCCEEDED)
        result.end = end;
    return result;
}

void process_kill(pid_t process)
{
    kill(-process, SIGKILL);
    reap(process);
}

const char *process_fault(struct arena *arena, const struct process_result *result,
                          const struct process_watch *watch)
{
    if (result->end == PROCESS_TIMED_OUT)
        return arena_format(arena, "did not end within %u seconds", watch->seconds);
    if (result->end == PROCESS_PRINTED_TOO_MUCH)
        return arena_format(arena, "printed more than %d MiB", PROCESS_MOST_MESSAGES >> 20);
    if (result->end == PROCESS_FAILED && result->signal)
        return arena_format(arena, "was ended by signal %d (%s)", result->signal,
                            strsignal(result->signal));
    return NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* Reading what a program writes                                                                 */

struct process_reading process_begin_reading(int descriptor, const struct process_watch *watch)
{
    return (struct process_reading){
        .descriptor = descriptor,
        .signals = open_signals(watch),
        .watch = watch,
        .start = milliseconds_now(),
        .end = PROCESS_SUCCEEDED,
    };
}

bool process_read_all(struct process_reading *reading, void *data, size_t size)
{
    char *rest = data;
    while (size && reading->end == PROCESS_SUCCEEDED) {
        reading->end =
            poll_until(reading->descriptor, reading->signals, reading->start, reading->watch);
        if (reading->end != PROCESS_SUCCEEDED)
            break;
        ssize_t got = read(reading->descriptor, rest, size);
        if (!got || (got < 0 && errno != EINTR))
            break;
        rest += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return !size;
}

enum process_end process_end_reading(struct process_reading *reading)
{
    process_close(&reading->signals);
    if (reading->end == PROCESS_SUCCEEDED && has_too_many_messages(reading->watch))
        reading->end = PROCESS_PRINTED_TOO_MUCH;
    return reading->end;
}

struct read_text {
    GROWING_ARRAY(char, bytes);
};

/* Reads until the program closes the pipe, the watch ends the wait, or the text is too long. */
static struct process_text read_all(struct arena *arena, int descriptor,
                                    const struct process_watch *watch, size_t limit)
{
    struct process_reading reading = process_begin_reading(descriptor, watch);
    struct process_text result = {.text = NULL};
    struct read_text text = {.bytes = NULL};
    char buffer[4096];
    for (;;) {
        reading.end = poll_until(descriptor, reading.signals, reading.start, watch);
        ssize_t size =
            reading.end == PROCESS_SUCCEEDED ? read(descriptor, buffer, sizeof buffer) : 0;
        if (size > 0 && (size_t)size > limit - text.bytes_count)
            reading.end = PROCESS_PRINTED_TOO_MUCH;
        if (reading.end != PROCESS_SUCCEEDED || !size || (size < 0 && errno != EINTR))
            break;
        for (ssize_t i = 0; i < size; i++)
            *ARENA_APPEND(arena, &text, bytes) = buffer[i];
    }
    *ARENA_APPEND(arena, &text, bytes) = '\0';
    result.text = text.bytes;
    result.result.end = process_end_reading(&reading);
    return result;
}

/* Redirects `stream` to the pipe and the other stream to /dev/null. */
static int plan_pipe(posix_spawn_file_actions_t *actions, enum process_stream stream,
                     const int *ends)
{
    int other = stream == PROCESS_OUTPUT ? PROCESS_MESSAGES : PROCESS_OUTPUT;
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, other, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, ends[1], (int)stream);
    if (!error)
        error = posix_spawn_file_actions_addclose(actions, ends[0]);
    if (!error)
        error = posix_spawn_file_actions_addclose(actions, ends[1]);
    return error;
}

static int start_writing(const struct process_plan *plan, enum process_stream stream,
                         const int *ends, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = plan_pipe(&actions, stream, ends);
    if (!error)
        error = spawn(plan, &actions, process);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Waits for the program whose text was read, or ends it if the reading ended early. */
static void end_program(pid_t process, const struct process_watch *watch, struct process_text *text)
{
    if (text->result.end != PROCESS_SUCCEEDED)
        process_kill(process);
    else
        text->result = process_wait(process, watch);
    if (text->result.end != PROCESS_SUCCEEDED)
        text->text = NULL;
}

struct process_text process_read(struct arena *arena, const struct process_plan *plan,
                                 enum process_stream stream, unsigned seconds, size_t limit)
{
    struct process_text text = {.text = NULL, .result = {.end = PROCESS_FAILED}};
    sigset_t held, outside;
    int ends[2];
    pid_t process;
    if (pipe2(ends, O_CLOEXEC))
        return text;
    process_hold_signals(&held, &outside);
    const struct process_watch watch = {seconds, &held, NULL};
    int error = start_writing(plan, stream, ends, &process);
    close(ends[1]);
    if (!error) {
        text = read_all(arena, ends[0], &watch, limit);
        end_program(process, &watch, &text);
    }
    close(ends[0]);
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    return text;
}

const char *process_answer(struct arena *arena, const struct process_plan *plan,
                           enum process_stream stream)
{
    enum { SECONDS = 60, LIMIT = 16 << 20 };
    return process_read(arena, plan, stream, SECONDS, LIMIT).text;
}
