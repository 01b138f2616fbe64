/* Flushes and closes text streams, and reports whether all text was written. Writing fails, for
 * example, if the disk is full or the reader of a pipe has ended. */
#ifndef WARPLD_BASE_STREAM_H
#define WARPLD_BASE_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Flushes the stream. Returns true if the system has accepted all text written so far. */
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
