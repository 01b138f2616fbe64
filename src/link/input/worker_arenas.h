/* Memory of threads that open inputs, which lives as long as the link. */
#ifndef WARPLD_LINK_INPUT_WORKER_ARENAS_H
#define WARPLD_LINK_INPUT_WORKER_ARENAS_H

#include "base/arena.h"
#include "link/model/link_context.h"

/* Gives a worker of one loop its arena, and what is to be done if memory runs out in it. Not for
 * several threads at once. */
struct arena *worker_arena(link_context *link, unsigned worker, void (*out_of_memory)(void *owner),
                           void *owner);

/* How many bytes the workers may take from now on, all of them together. For the thread that starts
 * them. */
void worker_arenas_allow(link_context *link, size_t bytes);

#endif
