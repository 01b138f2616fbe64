/* Writes to files and streams; see file_sink.h. */
#include "base/file_sink.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/file.h"

/* Returns the error of a write that wrote no byte. If the call reported no error, as can happen
 * with a file system in user space, returns ENOSPC: otherwise the call would be repeated for
 * ever. */
static int error_of(ssize_t written)
{
    return written < 0 ? errno : ENOSPC;
}

int file_write_all(int descriptor, struct bytes contents)
{
    while (contents.size) {
        size_t part = contents.size < SSIZE_MAX ? (size_t)contents.size : SSIZE_MAX;
        ssize_t written = write(descriptor, contents.data, part);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_of(written);
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
        error = file_write_all(descriptor, (struct bytes){ZEROS, part});
    }
    return error;
}

static int put_in_stream(struct file_sink *sink, uint64_t offset, struct bytes bytes)
{
    int error = write_zeros(sink->descriptor, offset - sink->position);
    sink->position = offset + bytes.size;
    return error ? error : file_write_all(sink->descriptor, bytes);
}

int file_put_at(int descriptor, uint64_t offset, struct bytes bytes)
{
    while (bytes.size) {
        size_t part = bytes.size < SSIZE_MAX ? (size_t)bytes.size : SSIZE_MAX;
        ssize_t written = pwrite(descriptor, bytes.data, part, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_of(written);
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

void file_sink_abandon(const struct file_sink *sink)
{
    if (sink->temporary)
        unlink(sink->temporary);
}

void file_sink_put(struct file_sink *sink, uint64_t offset, struct bytes bytes)
{
    if (file_sink_failed(sink))
        return;
    int error = sink->is_stream ? put_in_stream(sink, offset, bytes)
                                : file_put_at(sink->descriptor, offset, bytes);
    if (error)
        file_sink_fail(sink, error);
}

int file_wait_for_disk(int descriptor)
{
    int failed;
    do
        failed = fsync(descriptor);
    while (failed && errno == EINTR);
    return failed && errno != EINVAL ? errno : 0;
}
