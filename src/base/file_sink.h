/* An output file or stream that is being written. */
#ifndef WARPLD_BASE_FILE_SINK_H
#define WARPLD_BASE_FILE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* Only src/base uses the members. */
struct file_sink {
    int descriptor;
    bool is_stream;
    uint64_t position;     /* offset at which the next byte of a stream is written */
    atomic_int error;      /* the first error, or 0 */
    const char *temporary; /* name of a temporary file; NULL if the file has no name or is not
                              temporary */
};

/* Writes bytes at an offset of the file; bytes that no call writes are zero. Several threads may
 * call this function at the same time for a file. For a stream, one thread calls it with ascending
 * offsets. The sink records errors. */
void file_sink_put(struct file_sink *sink, uint64_t offset, struct bytes bytes);
bool file_sink_is_stream(const struct file_sink *sink);

/* Makes the function that writes the file return this errno value. */
void file_sink_fail(struct file_sink *sink, int error);
bool file_sink_failed(const struct file_sink *sink);

/* Removes the temporary file. A callback calls this before it ends the process, for example when
 * memory has run out; the callback must not return afterwards. */
void file_sink_abandon(const struct file_sink *sink);

#endif
