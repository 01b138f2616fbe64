/* Inputs that are not regular files: standard input and pipes. */
#ifndef WARPLD_BASE_STREAM_INPUT_H
#define WARPLD_BASE_STREAM_INPUT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Reads "-", a pipe or a socket to its end, into the arena. False: it is another kind of file, or
 * cannot be read. A pipe that nobody writes to is waited for. */
bool stream_input_read(struct arena *arena, const char *path, struct bytes *contents);

#endif
