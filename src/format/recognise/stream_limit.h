/* Limits how far a stream is read, because a stream that never ends must not take all memory. */
#ifndef WARPLD_FORMAT_RECOGNISE_STREAM_LIMIT_H
#define WARPLD_FORMAT_RECOGNISE_STREAM_LIMIT_H

#include "base/bytes.h"

struct arena;
struct bytes;

/* Judges a stream that goes on after these bytes. Returns NULL if the rest can belong to an input
 * that can be linked; otherwise a text that completes "stopped reading: ...", in the arena. */
const char *stream_refusal(struct arena *arena, struct bytes start);

#endif
