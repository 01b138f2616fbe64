/* The part of the cache in a folder, which many processes may use at once.
 *
 * An entry is a file whose name is the digest of its key. Its bytes are written to a file with
 * another name, which is then renamed, so that no process reads an incomplete entry. A process
 * reads only files that belong to its user. The modification time of an entry is the time of its
 * last use.
 *
 * The file "size" holds the total size of all entries, and is locked while it is changed. If the
 * total exceeds the limit, all entries are visited and those used least recently are removed. */
#ifndef WARPLD_COMPILE_CACHE_FOLDER_H
#define WARPLD_COMPILE_CACHE_FOLDER_H

#include <stdint.h>

#include "base/bytes.h"
#include "compile/cache_record.h"

struct cache_folder {
    const char *path;
    uint64_t limit; /* largest total size of the entries */
    int descriptor; /* descriptor of the open folder; -1: not open */
};

/* Opens the folder, and creates it with mode 0700 if there is none. Returns 0 or an errno value. */
int cache_folder_open(struct cache_folder *folder, const char *path, uint64_t limit);
void cache_folder_close(struct cache_folder *folder);

/* Reads the record of the key into memory from malloc and sets *parts; the data is NULL if there is
 * none. A damaged entry is removed. */
struct bytes cache_folder_find(const struct cache_folder *folder, const struct cache_key *key,
                               struct cache_parts *parts);

/* Like cache_folder_find, but maps the record instead of copying it; cache_folder_unmap releases
 * it. The record may have unguarded bytes (cache_record.h). */
struct bytes cache_folder_map(const struct cache_folder *folder, const struct cache_key *key,
                              struct cache_parts *parts);
void cache_folder_unmap(struct bytes record);

/* Removes the entry of the key. A caller uses it when it finds damage in the unguarded bytes, which
 * cache_folder_map does not check. */
void cache_folder_remove(const struct cache_folder *folder, const struct cache_key *key);

/* Adds a record, unless it alone is larger than the limit. Returns 0 or an errno value. */
int cache_folder_add(const struct cache_folder *folder, const struct cache_key *key,
                     struct bytes record);

#endif
