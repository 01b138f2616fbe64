/* A thread that populates pages before another thread needs them: it makes the system provide and
 * clear their memory.
 *
 * A pass that writes much memory on one thread spends a seventh of its time in the operating
 * system, which clears the pages. On a second processor, the feeder populates pages while the pass
 * runs. A page that is not populated in time causes an ordinary page fault, so nothing waits for
 * the feeder. */
#ifndef WARPLD_BASE_PAGE_FEEDER_H
#define WARPLD_BASE_PAGE_FEEDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_feeder {
    bool is_running; /* used by the requesting thread only */
    pthread_t thread;
    pthread_mutex_t lock; /* of the fields below */
    pthread_cond_t is_requested;
    /* The requested bytes whose pages the thread has not begun to populate; size 0: none. */
    uint8_t *start;
    size_t size;
    /* The requested bytes whose pages are populated or are being populated. */
    uint8_t *ready;
    size_t ready_size;
    bool ends; /* the thread is to end */
};

/* Starts the thread. If it cannot be created, requests have no effect. */
void page_feeder_start(struct page_feeder *feeder);
void page_feeder_stop(struct page_feeder *feeder);

/* Asks the thread to populate the pages of these bytes of a private anonymous mapping. The mapping
 * may be unmapped at any time, even before the pages are populated. The request replaces the rest
 * of an earlier request. */
void page_feeder_request(struct page_feeder *feeder, uint8_t *start, size_t size);

/* The number of bytes from `start` on whose pages are populated or are being populated; 0 for bytes
 * that were not requested. */
size_t page_feeder_ready(struct page_feeder *feeder, const uint8_t *start);

/* The start of the page that holds the byte. Pages have 4 KB, on some ARM machines 16 or 64 KB, and
 * madvise accepts only addresses of pages. */
uint8_t *page_of(uint8_t *byte, size_t page_size);

/* Populates the pages of these bytes now: one call costs less than a fault for each page. */
void pages_populate(uint8_t *start, size_t size);

#endif
