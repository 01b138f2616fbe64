/* Inputs that are read as streams: standard input, pipes and character devices. */
#ifndef WARPLD_BASE_STREAM_INPUT_H
#define WARPLD_BASE_STREAM_INPUT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Examines the first bytes of a stream. Returns NULL to read further, or a text with the reason to
 * stop. It is called again each time the number of bytes read has doubled. */
typedef const char *stream_judge(struct arena *arena, struct bytes start);

struct stream_input {
    struct bytes contents; /* in the arena */
    const char *refusal;   /* reason of the judge to stop; NULL: read to the end */
};

/* Reads "-", a pipe or a character device to its end, or until the judge refuses it. Returns false
 * if it is another kind of file or cannot be read. Waits for a pipe that nobody writes to. */
bool stream_input_read(struct arena *arena, const char *path, stream_judge *judge,
                       struct stream_input *input);

/* The message about a stream that was refused. */
const char *stream_input_problem(struct arena *arena, const char *path,
                                 const struct stream_input *input);

#endif
