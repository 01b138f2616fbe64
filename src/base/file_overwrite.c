/* Overwrites a file in place; see file_overwrite.h. */
#include "base/file_overwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

struct overwriting {
    int descriptor;
    uint64_t older_size;
    uint8_t *older;  /* the bytes that are overwritten; NULL if they cannot be read */
    bool is_changed; /* some of the old bytes were overwritten */
};

/* Opens the file for writing and, if its permissions allow that, for reading, so that its old bytes
 * can be kept. */
int file_overwrite_open(const char *path)
{
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    return descriptor < 0 && errno == EACCES ? open(path, O_WRONLY | O_CLOEXEC) : descriptor;
}

static void keep_older(struct overwriting *file, uint64_t size)
{
    file->older = malloc(size ? (size_t)size : 1);
    if (file->older && file_read_all(file->descriptor, file->older, (size_t)size)) {
        free(file->older);
        file->older = NULL;
    }
}

static int set_size(int descriptor, uint64_t size)
{
    int failed;
    do
        failed = ftruncate(descriptor, (off_t)size);
    while (failed && errno == EINTR);
    return failed ? errno : 0;
}

/* Overwrites the start of the file. If the first pwrite fails, no byte has changed, and nothing
 * needs to be written back. Usually the first pwrite writes all bytes. */
static int put_start(struct overwriting *file, struct bytes start)
{
    ssize_t written;
    if (!start.size)
        return 0;
    do
        written = pwrite(file->descriptor, start.data, (size_t)start.size, 0);
    while (written < 0 && errno == EINTR);
    if (written <= 0)
        return written < 0 ? errno : ENOSPC;
    file->is_changed = true;
    return file_put_at(file->descriptor, (uint64_t)written,
                       (struct bytes){start.data + written, start.size - (uint64_t)written});
}

static void write_back(const struct overwriting *file, uint64_t size)
{
    bool is_back = file->older &&
                   !file_put_at(file->descriptor, 0, (struct bytes){file->older, size}) &&
                   !set_size(file->descriptor, file->older_size);
    if (!is_back)
        set_size(file->descriptor, 0);
}

static int overwrite(struct overwriting *file, struct bytes contents)
{
    uint64_t common = contents.size < file->older_size ? contents.size : file->older_size;
    int error = file_put_at(file->descriptor, common,
                            (struct bytes){contents.data + common, contents.size - common});
    if (!error) {
        keep_older(file, common);
        error = put_start(file, (struct bytes){contents.data, common});
    }
    if (!error && contents.size < file->older_size)
        error = set_size(file->descriptor, contents.size);
    if (error && file->is_changed)
        write_back(file, common);
    else if (error)
        set_size(file->descriptor, file->older_size);
    free(file->older);
    return error;
}

int file_overwrite(int descriptor, struct bytes contents, bool is_durable)
{
    struct overwriting file = {.descriptor = descriptor};
    struct stat status;
    sigset_t all, before;
    int error = fstat(descriptor, &status) ? errno : 0;
    file.older_size = error ? 0 : (uint64_t)status.st_size;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (!error)
        error = overwrite(&file, contents);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error && is_durable)
        error = file_wait_for_disk(descriptor);
    if (close(descriptor) && !error)
        error = errno;
    return error;
}
