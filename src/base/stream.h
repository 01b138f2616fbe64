/* Text streams whose reader may be gone, or whose disk may be full. */
#ifndef WARPLD_BASE_STREAM_H
#define WARPLD_BASE_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Whether all that was written so far has arrived; the last of it is sent on its way. */
static inline bool stream_finish(FILE *stream)
{
    return !fflush(stream) && !ferror(stream);
}

/* The same, and the stream is closed. */
static inline bool stream_close(FILE *stream)
{
    bool arrived = stream_finish(stream);
    return !fclose(stream) && arrived;
}

#endif
