/* Limits how many bytes of a stream are read, so that an endless stream cannot fill the memory. */
#ifndef WARPLD_FORMAT_RECOGNISE_STREAM_LIMIT_H
#define WARPLD_FORMAT_RECOGNISE_STREAM_LIMIT_H

#include "base/bytes.h"

struct arena;
struct bytes;

/* Decides whether to read more of a stream, of which `start` was read and more bytes follow.
 * Returns NULL if the stream can be an input. Otherwise returns a text in the arena that gives the
 * reason to stop, as words that follow "stopped reading:" in a message. */
const char *stream_refusal(struct arena *arena, struct bytes start);

#endif
