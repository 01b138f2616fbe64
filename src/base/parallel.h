/* Loops whose turns do not depend on each other, on several threads. */
#ifndef WARPLD_BASE_PARALLEL_H
#define WARPLD_BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* One turn. `worker` is less than the number of workers; no two turns at a time have the same. A
 * turn must not jump out of itself, and what it does must not depend on the order of the turns. */
typedef void parallel_work(void *context, unsigned worker, size_t index);

/* work(context, ., i) for every i below count; returns when all are done. The calling thread is one
 * of the workers; there are fewer where the system gives no more threads. */
void parallel_for(unsigned workers, size_t count, parallel_work *work, void *context);

enum { PARALLEL_MOST_WORKERS = 64 };

/* A thread that hears no signals, which are for those of the program; false when the system gives
 * none. */
bool parallel_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
