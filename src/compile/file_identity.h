/* Identifies the version of a compiler or library in the keys of the cache. */
#ifndef WARPLD_COMPILE_FILE_IDENTITY_H
#define WARPLD_COMPILE_FILE_IDENTITY_H

#include "base/arena.h"
#include "compile/cache.h"

/* Identifies a file by its path and by properties that change when it is replaced or, in a cache
 * with a remote store, by its contents, because other machines have it at another path. A NULL
 * cache has no remote store. Returns "" if there is no path, and NULL if the file cannot be found.
 */
const char *file_identity(struct arena *arena, struct ptx_cache *cache, const char *path);

#endif
