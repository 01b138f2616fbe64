/* Takes results of a batch from the cache, and adds new ones to it. */
#ifndef WARPLD_COMPILE_BATCH_CACHE_H
#define WARPLD_COMPILE_BATCH_CACHE_H

#include "compile/batch.h"
#include "compile/cache.h"

/* Takes results from the cache and makes the remaining texts pending. */
void batch_look_up(struct ptx_batch *batch, struct ptx_cache *cache, const char *identity);

/* Adds the results of the texts that were compiled. */
void batch_store(struct ptx_batch *batch, struct ptx_cache *cache);

/* Reports the warning of the cache, if there is one. */
void batch_report_cache(const struct ptx_batch *batch, struct ptx_cache *cache);

#endif
