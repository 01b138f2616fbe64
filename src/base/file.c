/* Input mapping and atomic output; see file.h. */
#define _GNU_SOURCE /* renameat2 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

bool file_exists(const char *path)
{
    struct stat status;
    return !stat(path, &status);
}

/* Where a small file is read to; of neither, it is mapped as a large one. */
struct small_file {
    struct arena *arena;
    uint8_t *buffer;
    bool may_wait; /* for the disk */
};

/* A file that shrinks meanwhile ends there. */
static int read_contents(struct mapped_file *file, int descriptor, size_t size, uint8_t *place)
{
    size_t filled = 0;
    while (filled < size) {
        ssize_t part = read(descriptor, place + filled, size - filled);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return errno;
        if (part == 0)
            break;
        filled += (size_t)part;
    }
    file->bytes = (struct bytes){place, filled};
    return 0;
}

/* EAGAIN: they are not in memory yet, and the system begins to fetch them. Where it cannot tell, it
 * is waited for. */
static int read_at_once(struct mapped_file *file, int descriptor, size_t size, uint8_t *place)
{
#ifdef RWF_NOWAIT
    struct iovec whole = {place, size};
    ssize_t part = preadv2(descriptor, &whole, 1, 0, RWF_NOWAIT);
    if (part == (ssize_t)size) {
        file->bytes = (struct bytes){place, size};
        return 0;
    }
    if (part >= 0 || errno == EAGAIN) {
        posix_fadvise(descriptor, 0, (off_t)size, POSIX_FADV_WILLNEED);
        return EAGAIN;
    }
#endif
    return read_contents(file, descriptor, size, place);
}

static int map_contents(struct mapped_file *file, int descriptor, size_t size)
{
    void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED)
        return errno;
    file->mapping = mapping;
    file->bytes = (struct bytes){mapping, (uint64_t)size};
    return 0;
}

/* Mapping a small file and taking it down again takes longer than reading it (10,000 files of 6 KB:
 * a tenth of the whole link). */
static int open_contents(struct mapped_file *file, int descriptor, const struct small_file *small)
{
    struct stat status;
    if (fstat(descriptor, &status))
        return errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return ESPIPE;
    file->device = (uint64_t)status.st_dev;
    file->inode = (uint64_t)status.st_ino;
    file->modified = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
    size_t size = (size_t)status.st_size;
    if (size == 0)
        return 0;
    if (size <= FILE_SMALL && small->buffer)
        return small->may_wait ? read_contents(file, descriptor, size, small->buffer)
                               : read_at_once(file, descriptor, size, small->buffer);
    if (size <= FILE_SMALL && small->arena) {
        uint8_t *place = arena_try_alloc(small->arena, size);
        return place ? read_contents(file, descriptor, size, place) : ENOMEM;
    }
    return map_contents(file, descriptor, size);
}

static int load(struct mapped_file *file, const char *path, const struct small_file *small,
                int *waiting)
{
    *file = (struct mapped_file){.mapping = NULL};
    /* A pipe that nobody writes to must not hold the link up. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return errno;
    int error = open_contents(file, descriptor, small);
    if (error == EAGAIN && waiting) {
        *waiting = descriptor;
        return 0;
    }
    close(descriptor);
    return error;
}

int file_load(struct mapped_file *file, const char *path, struct arena *arena)
{
    return load(file, path, &(struct small_file){.arena = arena, .may_wait = true}, NULL);
}

int file_load_into(struct mapped_file *file, const char *path, uint8_t *buffer, int *waiting)
{
    *waiting = -1;
    return load(file, path, &(struct small_file){.buffer = buffer}, waiting);
}

int file_load_waiting(struct mapped_file *file, int waiting, uint8_t *buffer)
{
    int error =
        open_contents(file, waiting, &(struct small_file){.buffer = buffer, .may_wait = true});
    close(waiting);
    return error;
}

void file_stop_waiting(int waiting)
{
    close(waiting);
}

int file_map(struct mapped_file *file, const char *path)
{
    return file_load(file, path, NULL);
}

void file_unmap(struct mapped_file *file)
{
    if (file->mapping)
        munmap(file->mapping, (size_t)file->bytes.size);
    *file = (struct mapped_file){.mapping = NULL};
}

/* The first error is the one that counts. A stream knows how far it is. */
struct file_sink {
    int descriptor;
    bool is_stream;
    uint64_t position;
    atomic_int error;
};

static int write_piece(int descriptor, struct bytes contents)
{
    while (contents.size) {
        size_t part = contents.size < SSIZE_MAX ? (size_t)contents.size : SSIZE_MAX;
        ssize_t written = write(descriptor, contents.data, part);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        contents.data += written;
        contents.size -= (uint64_t)written;
    }
    return 0;
}

static int write_zeros(int descriptor, uint64_t size)
{
    static const uint8_t ZEROS[4096];
    int error = 0;
    for (uint64_t part; size && !error; size -= part) {
        part = size < sizeof ZEROS ? size : sizeof ZEROS;
        error = write_piece(descriptor, (struct bytes){ZEROS, part});
    }
    return error;
}

static int put_in_stream(struct file_sink *sink, uint64_t offset, struct bytes bytes)
{
    int error = write_zeros(sink->descriptor, offset - sink->position);
    sink->position = offset + bytes.size;
    return error ? error : write_piece(sink->descriptor, bytes);
}

static int put_at(int descriptor, uint64_t offset, struct bytes bytes)
{
    while (bytes.size) {
        size_t part = bytes.size < SSIZE_MAX ? (size_t)bytes.size : SSIZE_MAX;
        ssize_t written = pwrite(descriptor, bytes.data, part, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        offset += (uint64_t)written;
        bytes.data += written;
        bytes.size -= (uint64_t)written;
    }
    return 0;
}

bool file_sink_is_stream(const struct file_sink *sink)
{
    return sink->is_stream;
}

void file_sink_fail(struct file_sink *sink, int error)
{
    int none = 0;
    atomic_compare_exchange_strong(&sink->error, &none, error);
}

bool file_sink_failed(const struct file_sink *sink)
{
    return sink->error;
}

void file_sink_put(struct file_sink *sink, uint64_t offset, struct bytes bytes)
{
    if (file_sink_failed(sink))
        return;
    int error = sink->is_stream ? put_in_stream(sink, offset, bytes)
                                : put_at(sink->descriptor, offset, bytes);
    if (error)
        file_sink_fail(sink, error);
}

/* What makes a file's bytes. */
struct contents {
    file_make *make;
    void *context;
    int *replaced; /* NULL: the replaced file is closed at once */
};

static int make_contents(struct file_sink *sink, const struct contents *contents)
{
    bool succeeded = contents->make(contents->context, sink);
    return sink->error ? sink->error : succeeded ? 0 : ECANCELED;
}

/* Into a stream, or over the older bytes of a file, which are lost if it fails. */
static int write_straight(const char *path, bool is_stream, const struct contents *contents)
{
    int flags = O_WRONLY | O_CLOEXEC | (is_stream ? 0 : O_TRUNC);
    struct file_sink sink = {.descriptor = open(path, flags), .is_stream = is_stream};
    if (sink.descriptor < 0)
        return errno;
    int error = make_contents(&sink, contents);
    if (close(sink.descriptor) && !error)
        error = errno;
    return error;
}

/* ext4 begins to write a file to the disk when it is renamed over another one: for 38 MB 45 ms, a
 * fifth of the link, for 10 KB 0.2 ms, as much. It does not when the two change names. */
static int give_name(const char *temporary, const char *path, const struct stat *older,
                     int *replaced)
{
#ifdef RENAME_EXCHANGE
    enum { LEAST_KEPT_SIZE = 1 << 20 };
    if (older && !renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE)) {
        if (replaced && older->st_size >= LEAST_KEPT_SIZE)
            *replaced = open(temporary, O_PATH | O_CLOEXEC);
        if (!unlink(temporary))
            return 0;
        int error = errno; /* a folder by now: it keeps its name */
        renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE);
        return error;
    }
#endif
    (void)older;
    (void)replaced;
    return rename(temporary, path) ? errno : 0;
}

/* Writes, closes and renames; on any failure the temporary is removed. */
static int finish_temporary(int descriptor, const char *temporary, const char *path,
                            const struct stat *older, const struct contents *contents)
{
    struct file_sink sink = {.descriptor = descriptor};
    int error = make_contents(&sink, contents);
    if (!error && older && fchmod(descriptor, older->st_mode & 07777))
        error = errno;
    if (close(descriptor) && !error)
        error = errno;
    if (!error)
        error = give_name(temporary, path, older, contents->replaced);
    if (error)
        unlink(temporary);
    return error;
}

/* A new file with a name of its own beside path, however long path's is; *temporary is malloc'ed.
 */
static int open_temporary(const char *path, char **temporary)
{
    enum { ATTEMPTS = 100, NAME_ROOM = 64 };
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    *temporary = malloc(folder + NAME_ROOM);
    if (!*temporary)
        return -1;
    memcpy(*temporary, path, folder);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(*temporary + folder, NAME_ROOM, ".warpld.%ld.%d.tmp", (long)getpid(), attempt);
        int descriptor = open(*temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* A rename would replace a file that its owner has made read-only; nvlink 13.0.88, which writes
 * into the older file, refuses it. */
static bool is_protected(const char *path)
{
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) && errno == EACCES;
}

/* Where the folder cannot be written to, an older file perhaps can. */
static int replace_regular(const char *path, const struct stat *older,
                           const struct contents *contents)
{
    if (older && is_protected(path))
        return EACCES;
    char *temporary = NULL;
    int descriptor = open_temporary(path, &temporary);
    int error = errno;
    if (descriptor >= 0)
        error = finish_temporary(descriptor, temporary, path, older, contents);
    else if (older && error == EACCES)
        error = write_straight(path, false, contents);
    free(temporary);
    return error;
}

/* The name of an open file, as /dev/stdout: who has it open waits for what is written to it. */
static bool names_descriptor(const char *path)
{
    static const char PROCESSES[] = "/proc/";
    char target[sizeof PROCESSES];
    ssize_t size = readlink(path, target, sizeof target);
    bool leads_there =
        size >= (ssize_t)sizeof PROCESSES - 1 && !memcmp(target, PROCESSES, sizeof PROCESSES - 1);
    return leads_there || !strncmp(path, PROCESSES, sizeof PROCESSES - 1) ||
           !strncmp(path, "/dev/fd/", strlen("/dev/fd/"));
}

/* What a link points to is replaced, not the link; one to nothing is. */
static int replace_target(const char *path, const struct contents *contents)
{
    struct stat older;
    if (stat(path, &older))
        return errno == ENOENT ? replace_regular(path, NULL, contents) : errno;
    if (S_ISDIR(older.st_mode))
        return EISDIR;
    if (!S_ISREG(older.st_mode))
        return write_straight(path, true, contents);
    if (names_descriptor(path))
        return write_straight(path, false, contents);
    char *resolved = realpath(path, NULL);
    if (!resolved)
        return errno;
    int error = replace_regular(resolved, &older, contents);
    free(resolved);
    return error;
}

static int replace(const char *path, const struct contents *contents)
{
    struct stat older;
    if (lstat(path, &older))
        return errno == ENOENT ? replace_regular(path, NULL, contents) : errno;
    return S_ISREG(older.st_mode) ? replace_regular(path, &older, contents)
                                  : replace_target(path, contents);
}

static bool put_whole(void *context, struct file_sink *sink)
{
    const struct bytes *whole = context;
    file_sink_put(sink, 0, *whole);
    return true;
}

int file_replace(const char *path, struct bytes contents)
{
    return replace(path, &(struct contents){put_whole, &contents, NULL});
}

int file_replace_made(const char *path, file_make *make, void *context, int *replaced)
{
    *replaced = -1;
    return replace(path, &(struct contents){make, context, replaced});
}
