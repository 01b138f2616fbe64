/* Keeps the entries of a cache folder below their limit; see cache_trim.h.
 *
 * The file "size" holds the sum of the sizes of all entries as decimal text. The sum can be wrong.
 * It is too large if entries replaced others or were removed as damaged: then all entries are
 * visited earlier than needed. It is too small if a process was killed before it had counted its
 * entry: then all entries are visited later than needed. Each visit corrects the sum. */
#include "compile/cache_trim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"

static const char SIZE_FILE[] = "size";

/* An unfinished file of this age, in seconds, is removed, because its writer must have been
 * killed. */
enum { UNFINISHED_AGE = 3600 };

struct entry {
    char name[48];
    uint64_t size;
    struct timespec used;
};

struct entries {
    struct entry *all;
    size_t count, capacity;
};

static bool ends_in(const char *name, const char *suffix)
{
    size_t size = strlen(name), end = strlen(suffix);
    return size >= end && !strcmp(name + size - end, suffix);
}

static int compare_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Appends an entry to the list. Returns false if memory has run out. */
static bool add_entry(struct entries *entries, const char *name, const struct stat *status)
{
    if (entries->count == entries->capacity) {
        size_t capacity = entries->capacity ? 2 * entries->capacity : 256;
        struct entry *all = realloc(entries->all, capacity * sizeof *all);
        if (!all)
            return false;
        entries->all = all;
        entries->capacity = capacity;
    }
    struct entry *entry = &entries->all[entries->count++];
    memcpy(entry->name, name, strlen(name) + 1); /* visit has compared the sizes */
    entry->size = (uint64_t)status->st_size;
    entry->used = status->st_mtim;
    return true;
}

/* Adds the file to the entries if it belongs to this user and has the name of an entry. Removes an
 * unfinished file that no writer will finish. */
static bool visit(int folder, const char *name, time_t now, struct entries *entries)
{
    struct stat status;
    bool is_unfinished = ends_in(name, CACHE_UNFINISHED);
    if ((!is_unfinished && !ends_in(name, CACHE_SUFFIX)) ||
        strlen(name) >= sizeof entries->all->name ||
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid())
        return true;
    if (!is_unfinished)
        return add_entry(entries, name, &status);
    if (now - status.st_mtim.tv_sec > UNFINISHED_AGE)
        unlinkat(folder, name, 0);
    return true;
}

/* Lists all entries. Returns 0 or an errno value. */
static int list_entries(int folder, struct entries *entries)
{
    time_t now = time(NULL);
    int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = descriptor < 0 ? NULL : fdopendir(descriptor);
    int error = stream ? 0 : errno;
    if (!stream && descriptor >= 0)
        close(descriptor);
    for (struct dirent *item; stream && !error && (item = readdir(stream));)
        if (!visit(folder, item->d_name, now, entries))
            error = ENOMEM;
    if (stream)
        closedir(stream);
    return error;
}

static uint64_t size_of(const struct entries *entries)
{
    uint64_t size = 0;
    for (size_t i = 0; i < entries->count; i++)
        size = add_sizes(size, entries->all[i].size);
    return size;
}

/* If the entries together are larger than the limit, removes those used least recently until the
 * rest fill at most nine tenths of the limit. Sets *size to the size of the rest. */
static int trim(int folder, uint64_t limit, uint64_t *size)
{
    struct entries entries = {NULL, 0, 0};
    int error = list_entries(folder, &entries);
    uint64_t left = size_of(&entries), wanted = left > limit ? limit / 10 * 9 : limit;
    if (left > limit && entries.count)
        qsort(entries.all, entries.count, sizeof *entries.all, compare_use);
    for (size_t i = 0; !error && i < entries.count && left > wanted; i++)
        if (!unlinkat(folder, entries.all[i].name, 0) || errno == ENOENT)
            left -= entries.all[i].size;
    free(entries.all);
    *size = left;
    return error;
}

/* Reads the sum. Returns false if there is none. */
static bool read_size(int file, uint64_t *size)
{
    char text[32] = "", *end;
    ssize_t count = pread(file, text, sizeof text - 1, 0);
    if (count <= 0)
        return false;
    *size = strtoull(text, &end, 10);
    return end != text && *end == '\n';
}

static int write_size(int file, uint64_t size)
{
    char text[32];
    int count = snprintf(text, sizeof text, "%llu\n", (unsigned long long)size);
    if (ftruncate(file, 0) || pwrite(file, text, (size_t)count, 0) != count)
        return errno ? errno : EIO;
    return 0;
}

/* Opens and locks the file that holds the sum. Returns -1 and sets errno on failure. */
static int open_size_file(int folder)
{
    struct stat status;
    int file = openat(folder, SIZE_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    int error = fstat(file, &status) ? errno : 0;
    if (!error && (!S_ISREG(status.st_mode) || status.st_uid != geteuid()))
        error = EPERM;
    while (!error && flock(file, LOCK_EX))
        error = errno == EINTR ? 0 : errno;
    if (!error)
        return file;
    close(file);
    errno = error;
    return -1;
}

int cache_trim_after(int folder, uint64_t size, uint64_t limit)
{
    uint64_t sum = 0;
    int file = open_size_file(folder);
    if (file < 0)
        return errno;
    bool is_known = read_size(file, &sum);
    sum = add_sizes(sum, size);
    int error = is_known && sum <= limit ? 0 : trim(folder, limit, &sum);
    if (!error)
        error = write_size(file, sum);
    close(file); /* this also unlocks it */
    return error;
}
