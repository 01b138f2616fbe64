/* Runs several links at the same time; see warpld_run_all in warpld.h. */
#include <stddef.h>

#include "base/parallel.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct runs {
    struct warpld_link *const *links;
    enum warpld_status *statuses;
};

static void run_one(void *context, unsigned worker, size_t index)
{
    const struct runs *runs = context;
    (void)worker;
    runs->statuses[index] = warpld_run(runs->links[index]);
}

enum warpld_status warpld_run_all(struct warpld_link *const *links, enum warpld_status *statuses,
                                  size_t count, unsigned threads)
{
    struct runs runs = {links, statuses};
    if (count && (!links || !statuses))
        return WARPLD_ERROR_ARGUMENT;
    unsigned allowed = threads < PARALLEL_MOST_WORKERS ? threads : PARALLEL_MOST_WORKERS;
    unsigned workers = count < allowed ? (unsigned)count : allowed;
    parallel_for(workers ? workers : 1, count, run_one, &runs);
    for (size_t i = 0; i < count; i++)
        if (statuses[i] != WARPLD_OK)
            return statuses[i];
    return WARPLD_OK;
}
