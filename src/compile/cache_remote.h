/* A store of records that several machines share. It is asked for records that are neither in
 * memory nor in the cache folder. */
#ifndef WARPLD_COMPILE_CACHE_REMOTE_H
#define WARPLD_COMPILE_CACHE_REMOTE_H

#include <stddef.h>

#include "base/bytes.h"
#include "compile/cache_record.h"

/* A program provides these functions, and several threads can call them at once. Each record of the
 * store is compared with the key and checked for damage, but not for malice. */
struct cache_remote {
    void *context;

    /* Sets records[i], in memory from malloc, for each key that the store has. The other records
     * remain empty. */
    void (*fetch)(void *context, const struct cache_key *const *keys, struct bytes *records,
                  size_t count);

    /* Adds the records, except empty ones. */
    void (*store)(void *context, const struct cache_key *const *keys, const struct bytes *records,
                  size_t count);

    /* The cache calls this for each record of the store that is damaged or has another key. */
    void (*reject)(void *context);
};

#endif
