/* Memory of threads that open inputs, which lives as long as the link. */
#ifndef WARPLD_LINK_INPUT_WORKER_ARENAS_H
#define WARPLD_LINK_INPUT_WORKER_ARENAS_H

#include "base/arena.h"
#include "link/model/link_context.h"

/* Returns the arena of a worker, and sets the handler that is called when the arena's memory runs
 * out. Several threads must not call this at once. */
struct arena *worker_arena(link_context *link, unsigned worker, void (*out_of_memory)(void *owner),
                           void *owner);

/* Sets how many bytes all workers together may take from now on. Only the thread that starts the
 * workers may call this. */
void worker_arenas_allow(link_context *link, size_t bytes);

#endif
