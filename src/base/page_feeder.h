/* A thread that gets pages from the system before another one needs them.
 *
 * A pass that makes much on one thread spends a seventh of its time in the system, which clears its
 * pages; where there is another processor, that is done beside it. What was not got in time comes
 * as ever, so nothing waits for the feeder. */
#ifndef WARPLD_BASE_PAGE_FEEDER_H
#define WARPLD_BASE_PAGE_FEEDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_feeder {
    bool is_running; /* known to the asking thread alone */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t is_asked;
    uint8_t *start; /* pages that are wanted next, */
    size_t size;    /* 0: none */
    uint8_t *had;   /* pages that were got, or are being got, of what was wanted */
    size_t had_size;
    bool ends;
};

/* Where the system gives no thread, asking does nothing. */
void page_feeder_start(struct page_feeder *feeder);
void page_feeder_stop(struct page_feeder *feeder);

/* Wants these bytes of a private anonymous mapping next, which may be gone by then. What was wanted
 * before and is not begun is forgotten. */
void page_feeder_ask(struct page_feeder *feeder, uint8_t *start, size_t size);

/* How many bytes from there on have their pages already, or are just getting them; 0 for all that
 * the feeder does not know. */
size_t page_feeder_had(struct page_feeder *feeder, const uint8_t *start);

/* The first byte of its page. Pages have 4 KB, on some ARM machines 16 or 64, and the system takes
 * no other addresses. */
uint8_t *page_of(uint8_t *byte, size_t page_size);

/* Gets the pages of these bytes now: one call instead of a fault for each. */
void pages_get(uint8_t *start, size_t size);

#endif
