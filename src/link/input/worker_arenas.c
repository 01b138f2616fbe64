/* Memory of threads that open inputs; see worker_arenas.h. */
#include "link/input/worker_arenas.h"

#include <stdatomic.h>
#include <stdint.h>

#include "link/input/input_state.h"
#include "warpld.h"

/* Adds an arena for each thread that the link may have. An unused arena takes no memory. */
static void add_arenas(link_context *link)
{
    unsigned count = link_workers(link, UINT64_MAX);
    link->input->worker_arenas = ARENA_ARRAY(&link->arena, struct arena, count);
    link->input->worker_arenas_count = count;
    for (unsigned i = 0; i < count; i++) {
        struct arena *arena = &link->input->worker_arenas[i];
        arena_init(arena, NULL, NULL);
        arena->source = link->arena.source;
        arena->budget = &link->input->workers_budget;
    }
}

struct arena *worker_arena(link_context *link, unsigned worker, void (*out_of_memory)(void *owner),
                           void *owner)
{
    if (!link->input->worker_arenas)
        add_arenas(link);
    struct arena *arena = &link->input->worker_arenas[worker];
    arena->out_of_memory = out_of_memory;
    arena->owner = owner;
    return arena;
}

void worker_arenas_allow(link_context *link, size_t bytes)
{
    atomic_store(&link->input->workers_budget.left, bytes);
}
