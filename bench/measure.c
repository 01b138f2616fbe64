/* Runs a command repeatedly and prints the mean cost of one run, on one line of standard output:
 *
 *     STATUS WALL_SECONDS CPU_SECONDS PEAK_KIB
 *
 * It stops at the first run that fails. STATUS is the exit status of the last run, and PEAK_KIB is
 * the largest peak memory of all runs.
 *
 * This is a separate program, because exec does not reset the peak memory of a process: a small
 * program that Python starts directly would have at least Python's peak. The command's standard
 * output is redirected to standard error. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns the exit status of the command: 127 if it could not be started, 128 + N if signal N ended
 * it. Returns -1 if there was no process for it. */
static int run(char **command)
{
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **arguments)
{
    int runs = count < 3 ? 0 : atoi(arguments[1]), status = 0;
    if (runs < 1) {
        fputs("usage: measure RUNS COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    double start = now();
    for (int i = 0; i < runs && !status; i++)
        status = run(arguments + 2);
    double wall = now() - start;
    struct rusage usage;
    if (status < 0 || getrusage(RUSAGE_CHILDREN, &usage) < 0) {
        perror("measure");
        return 1;
    }
    printf("%d %.6f %.6f %ld\n", status, wall / runs,
           (seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)) / runs, usage.ru_maxrss);
    return 0;
}
