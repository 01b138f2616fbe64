/* A thread that gets pages from the system before another one needs them.
 *
 * A pass that makes much on one thread spends a seventh of its time in the system, which clears its
 * pages; where there is another processor, that is done beside it. What was not got in time comes
 * as ever, so nothing waits for the helper. */
#ifndef WARPLD_BASE_PAGE_HELPER_H
#define WARPLD_BASE_PAGE_HELPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_helper {
    bool is_running; /* known to the asking thread alone */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t is_asked;
    uint8_t *start; /* pages that are wanted next, */
    size_t size;    /* 0: none */
    bool ends;
};

/* Without a thread nothing is helped. */
void page_helper_start(struct page_helper *helper);
void page_helper_stop(struct page_helper *helper);

/* Wants these bytes of a private anonymous mapping next, which may be gone by then. What was wanted
 * before and is not begun is forgotten. */
void page_helper_ask(struct page_helper *helper, uint8_t *start, size_t size);

/* Gets the pages of these bytes now: one call instead of a fault for each. */
void pages_get(uint8_t *start, size_t size);

#endif
