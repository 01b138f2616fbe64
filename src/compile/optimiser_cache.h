/* Keeps optimised code in the cache that also has compiled PTX. */
#ifndef WARPLD_COMPILE_OPTIMISER_CACHE_H
#define WARPLD_COMPILE_OPTIMISER_CACHE_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/cache.h"
#include "compile/cache_record.h"
#include "compile/optimiser.h"

/* Sets the key of a job: its libraries, options, kept names and inputs. Returns false if a library
 * cannot be found. */
bool optimiser_key(struct cache_key *key, struct arena *arena, struct ptx_cache *cache,
                   const struct optimiser_job *job);

/* Takes the output of a job from the cache; false if it is not there. */
bool optimiser_cache_find(struct ptx_cache *cache, const struct cache_key *key,
                          struct optimiser_output *output);

/* Stores an output in the cache. Requires: it has code. */
void optimiser_cache_add(struct ptx_cache *cache, const struct cache_key *key,
                         const struct optimiser_output *output);

#endif
