/* A queue of pieces between two threads; see piece_feed.h. The queue passes batches of pieces: for
 * a hundred thousand pieces, the threads wait for each other only a hundred times. */
#include "report/piece_feed.h"

#include <pthread.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/parallel.h"

enum { BATCH = 1024, BATCHES = 2 };

struct piece_batch {
    size_t count; /* number of pieces in the batch; 0 marks the end of the queue */
    struct warpld_piece pieces[BATCH];
};

struct piece_feed {
    take_piece *take;
    void *context;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t filled, emptied; /* how many batches were filled and emptied so far */
    struct piece_batch batches[BATCHES];
};

static void wait_until(struct piece_feed *feed, bool (*is_ready)(const struct piece_feed *))
{
    pthread_mutex_lock(&feed->mutex);
    while (!is_ready(feed))
        pthread_cond_wait(&feed->changed, &feed->mutex);
    pthread_mutex_unlock(&feed->mutex);
}

static void advance(struct piece_feed *feed, size_t *count)
{
    pthread_mutex_lock(&feed->mutex);
    ++*count;
    pthread_cond_signal(&feed->changed);
    pthread_mutex_unlock(&feed->mutex);
}

static bool has_batch(const struct piece_feed *feed)
{
    return feed->filled > feed->emptied;
}

static bool has_space(const struct piece_feed *feed)
{
    return feed->filled < feed->emptied + BATCHES;
}

static void *take_batches(void *context)
{
    struct piece_feed *feed = context;
    for (;;) {
        wait_until(feed, has_batch);
        const struct piece_batch *batch = &feed->batches[feed->emptied % BATCHES];
        if (!batch->count)
            return NULL;
        for (size_t i = 0; i < batch->count; i++)
            feed->take(feed->context, &batch->pieces[i]);
        advance(feed, &feed->emptied);
    }
}

/* Gets the next pieces from the link. Returns false if there was none. Sets *status to the status
 * of the last query. */
static bool fill_batch(struct warpld_link *link, struct piece_batch *batch, size_t *next,
                       enum warpld_status *status)
{
    for (batch->count = 0; batch->count < BATCH; batch->count++, ++*next) {
        struct warpld_piece *piece = &batch->pieces[batch->count];
        piece->size = sizeof *piece;
        *status = warpld_get_piece(link, *next, piece);
        if (*status != WARPLD_OK)
            break;
    }
    return batch->count;
}

static enum warpld_status feed_batches(struct piece_feed *feed, struct warpld_link *link)
{
    enum warpld_status status = WARPLD_END;
    bool has_more = true;
    for (size_t next = 0; has_more; advance(feed, &feed->filled)) {
        wait_until(feed, has_space);
        has_more = fill_batch(link, &feed->batches[feed->filled % BATCHES], &next, &status);
    }
    return status;
}

static enum warpld_status take_at_once(const struct report *report, take_piece *take, void *context)
{
    struct warpld_piece piece = {.size = sizeof piece};
    enum warpld_status status;
    for (size_t i = 0; (status = warpld_get_piece(report->link, i, &piece)) == WARPLD_OK; i++)
        take(context, &piece);
    return status;
}

bool piece_feed_run(const struct report *report, take_piece *take, void *context)
{
    struct piece_feed *feed = ARENA_NEW(report->arena, struct piece_feed);
    pthread_t taker;
    *feed = (struct piece_feed){.take = take,
                                .context = context,
                                .mutex = PTHREAD_MUTEX_INITIALIZER,
                                .changed = PTHREAD_COND_INITIALIZER};
    if (report->threads < 2 || !parallel_start(&taker, take_batches, feed))
        return take_at_once(report, take, context) == WARPLD_END;
    enum warpld_status status = feed_batches(feed, report->link);
    pthread_join(taker, NULL);
    return status == WARPLD_END;
}
