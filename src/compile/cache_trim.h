/* Keeps the entries of a cache folder below their limit. */
#ifndef WARPLD_COMPILE_CACHE_TRIM_H
#define WARPLD_COMPILE_CACHE_TRIM_H

#include <stdint.h>

/* Suffixes of the names of entries, and of files that will become entries. Files with other names
 * are never read or removed. */
#define CACHE_SUFFIX     ".warpld-ptx"
#define CACHE_UNFINISHED ".warpld-unfinished"

/* Counts a new entry of `size` bytes. If the entries of the folder are above the limit, removes
 * those used least recently until the rest fill at most nine tenths of it. Returns 0 or an errno
 * value. */
int cache_trim_after(int folder, uint64_t size, uint64_t limit);

#endif
