/* Passes the pieces of the output, one after the other, to a function that writes them. */
#ifndef WARPLD_REPORT_PIECE_FEED_H
#define WARPLD_REPORT_PIECE_FEED_H

#include <stdbool.h>

#include "report/report.h"
#include "warpld.h"

/* A function that takes one piece. It must not use the link, which another thread may use at the
 * same time. */
typedef void take_piece(void *context, const struct warpld_piece *piece);

/* Calls the function `take` for every piece, in order. If the report may use two threads, `take`
 * runs on a second thread, which writes pieces while the calling thread gets the next ones from the
 * link. Returns false if memory ran out. */
bool piece_feed_run(const struct report *report, take_piece *take, void *context);

#endif
