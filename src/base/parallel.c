/* Loops on several threads; see parallel.h.
 *
 * Threads live for one loop: starting one takes a few dozen microseconds, which is little compared
 * with a loop that is worth several threads. A library must not keep threads running. */
#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct loop {
    parallel_work *work;
    void *context;
    size_t count;
    size_t block; /* number of iterations that a worker takes at a time */
    atomic_size_t next;
};

struct worker {
    struct loop *loop;
    unsigned number;
    pthread_t thread;
    bool is_started;
};

static void run_iterations(struct loop *loop, unsigned worker)
{
    for (;;) {
        size_t start = atomic_fetch_add(&loop->next, loop->block);
        if (start >= loop->count)
            return;
        size_t end = loop->count - start < loop->block ? loop->count : start + loop->block;
        for (size_t i = start; i < end; i++)
            loop->work(loop->context, worker, i);
    }
}

static void *run_worker(void *context)
{
    const struct worker *worker = context;
    run_iterations(worker->loop, worker->number);
    return NULL;
}

bool parallel_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = !pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static void start_workers(struct worker *workers, unsigned count, struct loop *loop)
{
    for (unsigned i = 1; i < count; i++) {
        workers[i] = (struct worker){.loop = loop, .number = i};
        workers[i].is_started = parallel_start(&workers[i].thread, run_worker, &workers[i]);
    }
}

/* Returns the number of iterations in a block. Blocks are so small that workers do not wait long
 * for the slowest worker at the end. They are so large that workers rarely contend for the
 * counter. */
static size_t block_size(size_t count, unsigned workers)
{
    enum { BLOCKS_OF_A_WORKER = 16, LARGEST_BLOCK = 64 };
    size_t block = count / workers / BLOCKS_OF_A_WORKER;
    return block < 1 ? 1 : block > LARGEST_BLOCK ? LARGEST_BLOCK : block;
}

void parallel_for(unsigned workers, size_t count, parallel_work *work, void *context)
{
    unsigned used = workers > PARALLEL_MOST_WORKERS ? PARALLEL_MOST_WORKERS : workers;
    if (used > count)
        used = (unsigned)count;
    if (used <= 1) {
        for (size_t i = 0; i < count; i++)
            work(context, 0, i);
        return;
    }
    struct loop loop = {
        .work = work, .context = context, .count = count, .block = block_size(count, used)};
    struct worker started[PARALLEL_MOST_WORKERS];
    start_workers(started, used, &loop);
    run_iterations(&loop, 0);
    for (unsigned i = 1; i < used; i++)
        if (started[i].is_started)
            pthread_join(started[i].thread, NULL);
}
