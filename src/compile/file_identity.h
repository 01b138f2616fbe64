/* Identifies the version of a compiler or library in the keys of the cache. */
#ifndef WARPLD_COMPILE_FILE_IDENTITY_H
#define WARPLD_COMPILE_FILE_IDENTITY_H

#include "base/arena.h"
#include "compile/cache.h"

/* Identifies a file by its path and by properties that change when it is replaced. If the cache has
 * a remote store, identifies it by its contents instead, because other machines have the file at
 * another path. A NULL cache has no remote store. Returns "" if `path` is NULL, and NULL if the
 * file cannot be found. */
const char *file_identity(struct arena *arena, struct ptx_cache *cache, const char *path);

#endif
