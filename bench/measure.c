/* Runs a command and reports what it took, on one line of the standard output:
 *
 *     STATUS WALL_SECONDS CPU_SECONDS PEAK_KIB
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

int main(int count, char **words)
{
    if (count < 2) {
        fputs("usage: measure COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    double start = now();
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(words[1], words + 1);
        perror(words[1]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || waitpid(child, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &usage) < 0) {
        perror("measure");
        return 1;
    }
    double wall = now() - start;
    printf("%d %.6f %.6f %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           wall, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss);
    return 0;
}
