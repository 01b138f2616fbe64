/* Keeps what links found in their large inputs (snapshots), in the cache folder. Only one thread
 * may use a cache at a time, except where a function says otherwise.
 *
 * The key of an entry contains the digest of the input's contents, but not the path and the times
 * of the file. A second entry maps the identity of a file to this digest, so that the digest of an
 * unchanged file is known without reading it. */
#ifndef WARPLD_COMPILE_PREPARED_CACHE_H
#define WARPLD_COMPILE_PREPARED_CACHE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "compile/block_digests.h"
#include "compile/cache_folder.h"
#include "compile/cache_record.h"
#include "warpld.h"

/* An input that prepared_cache_find received. */
struct looked_for {
    const void *data;
    uint64_t digest[2]; /* of its contents */
};

/* An entry that prepared_cache_find found; it remains mapped, because the link uses its
 * snapshot. */
struct mapped_entry {
    struct bytes record;
    struct cache_key key;
    struct block_digests digests; /* of the snapshot */
};

struct prepared_cache {
    struct arena *arena;
    const char *path; /* of the folder */
    uint64_t limit;
    void (*warn)(void *context, const char *text); /* called once, if the folder cannot be used */
    void *warn_context;
    struct cache_folder folder;
    bool is_open;
    bool has_failed;     /* the folder cannot be used, and is not tried again */
    const char *program; /* identity of this program, which is part of each snapshot's key */
    GROWING_ARRAY(struct looked_for, inputs);
    size_t next_input; /* index in `inputs` at which the next search begins */
    GROWING_ARRAY(struct mapped_entry, mapped);
    _Atomic size_t next_mapped; /* index in `mapped` at which the next search begins */
};

/* Callbacks of the library. The context is a struct prepared_cache, of which the caller has set the
 * fields from `arena` to `warn_context`. The other fields are zero. */
warpld_find_prepared_callback prepared_cache_find;
warpld_check_prepared_callback prepared_cache_check; /* may run on several threads at once */
warpld_keep_prepared_callback prepared_cache_keep;

/* Unmaps all entries that were found, and closes the folder. Call it after warpld_destroy,
 * because links use the entries. */
void prepared_cache_close(struct prepared_cache *cache);

#endif
