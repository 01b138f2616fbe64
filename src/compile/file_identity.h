/* What stands for the version of a compiler or library in the keys of the cache. */
#ifndef WARPLD_COMPILE_FILE_IDENTITY_H
#define WARPLD_COMPILE_FILE_IDENTITY_H

#include "base/arena.h"
#include "compile/cache.h"

/* Identifies a file by its path and what changes when it is replaced; in a cache with a remote
 * store by its contents, because other machines have it elsewhere. cache: NULL is one without a
 * remote store. "" for no path, NULL if the file is not to be found. */
const char *file_identity(struct arena *arena, struct ptx_cache *cache, const char *path);

#endif
