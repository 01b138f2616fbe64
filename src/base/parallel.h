/* Loops with independent iterations, on several threads. */
#ifndef WARPLD_BASE_PARALLEL_H
#define WARPLD_BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* One iteration. `worker` is less than the number of workers; concurrent iterations have different
 * values. An iteration must not jump out of the function, and its results must not depend on the
 * order of the iterations. */
typedef void parallel_work(void *context, unsigned worker, size_t index);

/* Calls work(context, worker, i) for every i below count and returns when all calls have returned.
 * The calling thread is one of the workers; there are fewer if threads cannot be created. */
void parallel_for(unsigned workers, size_t count, parallel_work *work, void *context);

enum { PARALLEL_MOST_WORKERS = 64 };

/* Starts a thread that blocks all signals, because signals are for the threads of the program that
 * uses the library. Returns false if the system cannot create a thread. */
bool parallel_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
