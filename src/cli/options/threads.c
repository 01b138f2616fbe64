/* The number of threads of a run; see threads.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cli/options/threads.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>

/* Returns how many processors this process may use. Returns 0 if a set of `bits` bits is too small
 * to represent them. */
static long count_among(int bits)
{
    size_t size = CPU_ALLOC_SIZE(bits);
    cpu_set_t *processors = CPU_ALLOC(bits);
    if (!processors)
        return 1;
    int error = sched_getaffinity(0, size, processors) ? errno : 0;
    long count = error ? 1 : CPU_COUNT_S(size, processors);
    CPU_FREE(processors);
    return error == EINVAL ? 0 : count;
}

/* Returns how many processors this process may use. sched_getaffinity refuses a set that has fewer
 * bits than the kernel's set, and does not report how many bits it needs. So larger and larger sets
 * are tried: a cpu_set_t has 1024 bits, and kernels are built for up to 8192 processors. */
static long available_processors(void)
{
    long count = 0;
    for (int bits = CPU_SETSIZE; !count && bits <= 1 << 20; bits *= 2)
        count = count_among(bits);
    return count ? count : 1;
}

unsigned threads_of(const struct command_line *line)
{
    long number = command_line_given(line, OPTION_THREADS) ? line->options[OPTION_THREADS].number
                                                           : available_processors();
    return number < 1 ? 1 : number > INT_MAX ? INT_MAX : (unsigned)number;
}
