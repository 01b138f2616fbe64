/* The part of the cache in a folder; see cache_folder.h. */
#include "compile/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "compile/cache_trim.h"

/* 32 hexadecimal digits and the suffix. */
enum { NAME_CAPACITY = 48 };

static void name_of(const struct cache_key *key, char *name)
{
    snprintf(name, NAME_CAPACITY, "%016llx%016llx%s", (unsigned long long)key->digest[1],
             (unsigned long long)key->digest[0], CACHE_SUFFIX);
}

int cache_folder_open(struct cache_folder *folder, const char *path, uint64_t limit)
{
    *folder = (struct cache_folder){path, limit, -1};
    if (mkdir(path, 0700) && errno != EEXIST)
        return errno;
    folder->descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->descriptor < 0)
        return errno;
    return faccessat(folder->descriptor, ".", X_OK, 0) ? errno : 0;
}

void cache_folder_close(struct cache_folder *folder)
{
    if (folder->descriptor >= 0)
        close(folder->descriptor);
    folder->descriptor = -1;
}

/* --------------------------------------------------------------------------------------------- */
/* Reading                                                                                       */

/* Reads the whole file. Returns false if it cannot be read or has fewer than `size` bytes. */
static bool read_all(int descriptor, uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t part = read(descriptor, bytes, size);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        bytes += part;
        size -= (size_t)part;
    }
    return true;
}

/* Returns true if the file is a regular file of this user. Other users may be able to write into
 * the folder. But a file of another user has another owner, and open_entry follows no symbolic
 * link. */
static bool is_own(int descriptor, struct stat *status)
{
    return !fstat(descriptor, status) && S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
           status->st_size >= 0;
}

static struct bytes read_entry(int descriptor, uint64_t limit)
{
    struct stat status;
    struct bytes record = {NULL, 0};
    if (!is_own(descriptor, &status) || (uint64_t)status.st_size > limit)
        return record;
    uint8_t *bytes = malloc((size_t)status.st_size + 1);
    if (bytes && read_all(descriptor, bytes, (size_t)status.st_size))
        return (struct bytes){bytes, (uint64_t)status.st_size};
    free(bytes);
    return record;
}

/* Sets the time of the entry's last use. The time comes from the precise clock, because the clock
 * of file systems has steps of milliseconds, so two uses could have the same time. */
static void mark_use(int descriptor)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
    if (!clock_gettime(CLOCK_REALTIME, &times[1]))
        futimens(descriptor, times);
}

static int open_entry(const struct cache_folder *folder, const char *name)
{
    return openat(folder->descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Sets the time of use of a good record, and removes a damaged one. Returns whether the record is
 * good. */
static bool take_record(const struct cache_folder *folder, const char *name, int descriptor,
                        enum cache_record_state state)
{
    if (state == CACHE_RECORD_GOOD)
        mark_use(descriptor);
    else if (state == CACHE_RECORD_DAMAGED)
        unlinkat(folder->descriptor, name, 0);
    return state == CACHE_RECORD_GOOD;
}

/* Entries are replaced and removed, but never shortened, so a mapping remains whole. */
static struct bytes map_entry(int descriptor, uint64_t limit)
{
    struct stat status;
    struct bytes record = {NULL, 0};
    if (!is_own(descriptor, &status) || (uint64_t)status.st_size > limit || !status.st_size)
        return record;
    void *mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED)
        return record;
    return (struct bytes){mapping, (uint64_t)status.st_size};
}

void cache_folder_unmap(struct bytes record)
{
    if (record.data)
        munmap((void *)record.data, (size_t)record.size);
}

static void free_entry(struct bytes record)
{
    free((void *)record.data);
}

/* How the bytes of an entry are obtained, checked and released. */
struct entry_access {
    struct bytes (*take)(int descriptor, uint64_t limit);
    enum cache_record_state (*open)(struct bytes record, const struct cache_key *key,
                                    struct cache_parts *parts);
    void (*release)(struct bytes record);
};

static const struct entry_access COPIED = {read_entry, cache_record_open, free_entry},
                                 MAPPED = {map_entry, cache_record_open_guarded,
                                           cache_folder_unmap};

static struct bytes find_record(const struct cache_folder *folder, const struct cache_key *key,
                                const struct entry_access *access, struct cache_parts *parts)
{
    char name[NAME_CAPACITY];
    struct bytes none = {NULL, 0};
    name_of(key, name);
    int descriptor = open_entry(folder, name);
    if (descriptor < 0)
        return none;
    struct bytes record = access->take(descriptor, folder->limit);
    enum cache_record_state state =
        record.data ? access->open(record, key, parts) : CACHE_RECORD_OTHER;
    bool is_good = take_record(folder, name, descriptor, state);
    close(descriptor);
    if (is_good)
        return record;
    access->release(record);
    return none;
}

struct bytes cache_folder_find(const struct cache_folder *folder, const struct cache_key *key,
                               struct cache_parts *parts)
{
    return find_record(folder, key, &COPIED, parts);
}

struct bytes cache_folder_map(const struct cache_folder *folder, const struct cache_key *key,
                              struct cache_parts *parts)
{
    return find_record(folder, key, &MAPPED, parts);
}

void cache_folder_remove(const struct cache_folder *folder, const struct cache_key *key)
{
    char name[NAME_CAPACITY];
    name_of(key, name);
    unlinkat(folder->descriptor, name, 0);
}

/* --------------------------------------------------------------------------------------------- */
/* Writing                                                                                       */

/* Creates the file for a record that is being written. The name is one that no file has yet, so
 * that no other process or thread writes to the same file. */
static int open_unfinished(const struct cache_folder *folder, char *name)
{
    enum { MOST_TRIES = 100 };
    int descriptor = -1;
    for (int i = 0; i < MOST_TRIES && descriptor < 0; i++) {
        snprintf(name, NAME_CAPACITY, "%ld-%d%s", (long)getpid(), i, CACHE_UNFINISHED);
        descriptor = openat(folder->descriptor, name,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

/* Writes the record to an unfinished file of the folder, and renames that file to `name`. */
static int write_entry(const struct cache_folder *folder, const char *name, struct bytes record)
{
    char unfinished[NAME_CAPACITY];
    int descriptor = open_unfinished(folder, unfinished);
    if (descriptor < 0)
        return errno;
    int error = file_write_all(descriptor, record);
    mark_use(descriptor);
    if (close(descriptor) && !error)
        error = errno;
    if (!error && renameat(folder->descriptor, unfinished, folder->descriptor, name))
        error = errno;
    if (error)
        unlinkat(folder->descriptor, unfinished, 0);
    return error;
}

int cache_folder_add(const struct cache_folder *folder, const struct cache_key *key,
                     struct bytes record)
{
    char name[NAME_CAPACITY];
    if (record.size > folder->limit)
        return 0;
    name_of(key, name);
    int error = write_entry(folder, name, record);
    return error ? error : cache_trim_after(folder->descriptor, record.size, folder->limit);
}
