/* Flushes and closes text streams, and reports whether all text was written. That fails if the disk
 * is full or the reader has ended. */
#ifndef WARPLD_BASE_STREAM_H
#define WARPLD_BASE_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Flushes the stream. Returns true if everything written so far has been accepted. */
static inline bool stream_finish(FILE *stream)
{
    return !fflush(stream) && !ferror(stream);
}

/* Like stream_finish, and closes the stream. */
static inline bool stream_close(FILE *stream)
{
    bool arrived = stream_finish(stream);
    return !fclose(stream) && arrived;
}

#endif
