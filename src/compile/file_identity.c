/* Identifies versions of files; see file_identity.h.
 *
 * On one machine the device, inode, size and times of a file identify its version. A new version is
 * another file, or its inode has another time of the last change, which no program can set. ptxas
 * is not asked for its version, because that would take most of the time that an entry of the cache
 * saves. Digests of contents are kept in the cache, too, because computing the digest of
 * libnvJitLink takes 20 ms. */
#include "compile/file_identity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file.h"
#include "compile/cache_record.h"

static const char *by_inode(struct arena *arena, const char *path)
{
    struct stat status;
    if (stat(path, &status))
        return NULL;
    return arena_format(arena, "%s %llx %llx %lld %lld.%09ld %lld.%09ld", path,
                        (unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
                        (long long)status.st_size, (long long)status.st_mtim.tv_sec,
                        status.st_mtim.tv_nsec, (long long)status.st_ctim.tv_sec,
                        status.st_ctim.tv_nsec);
}

static const char *digest_of(struct arena *arena, const char *path)
{
    struct mapped_file file;
    struct cache_key key;
    if (file_map(&file, path))
        return NULL;
    cache_key_set(&key, file.bytes);
    unsigned long long size = file.bytes.size;
    file_unmap(&file);
    return arena_format(arena, "%016llx%016llx %llu", (unsigned long long)key.digest[1],
                        (unsigned long long)key.digest[0], size);
}

static const char *by_contents(struct arena *arena, struct ptx_cache *cache, const char *path)
{
    const char *inode = by_inode(arena, path);
    struct cache_key key;
    struct cache_parts parts;
    if (!inode)
        return NULL;
    const char *name = arena_format(arena, "warpld digest 1\n%s", inode);
    cache_key_set(&key, (struct bytes){(const uint8_t *)name, strlen(name)});
    struct bytes record = ptx_cache_find(cache, &key, &parts);
    if (record.data) {
        const char *known =
            arena_copy_string(arena, (const char *)parts.cubin.data, (size_t)parts.cubin.size);
        free((void *)record.data);
        return known;
    }
    const char *digest = digest_of(arena, path);
    if (digest)
        ptx_cache_add(cache, &key,
                      &(struct cache_parts){.cubin = {(const uint8_t *)digest, strlen(digest)}});
    return digest;
}

const char *file_identity(struct arena *arena, struct ptx_cache *cache, const char *path)
{
    if (!path)
        return "";
    return cache && cache->remote ? by_contents(arena, cache, path) : by_inode(arena, path);
}
