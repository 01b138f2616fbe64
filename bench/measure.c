/* Runs a command so many times and reports what one run took, on one line of the standard output:
 *
 *     STATUS WALL_SECONDS CPU_SECONDS PEAK_KIB
 *
 * The status is that of the first run that fails, which is the last one; the peak that of the
 * largest.
 *
 * A program of its own because the kernel carries a process's peak memory over an exec: started
 * straight from Python, every small program would seem to need what Python needs. The command's
 * output goes to the standard error. */
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

/* The exit status; -1 if it could not be run. */
static int run(char **words)
{
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(words[0], words);
        perror(words[0]);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **words)
{
    int runs = count < 3 ? 0 : atoi(words[1]), status = 0;
    if (runs < 1) {
        fputs("usage: measure RUNS COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    double start = now();
    for (int i = 0; i < runs && !status; i++)
        status = run(words + 2);
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
