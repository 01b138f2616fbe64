/* Outputs, which appear complete or not at all; see file.h. */
#define _GNU_SOURCE /* renameat2 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

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
