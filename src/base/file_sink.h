/* What an output is written to: a file, or a stream; see file.h. */
#ifndef WARPLD_BASE_FILE_SINK_H
#define WARPLD_BASE_FILE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct file_sink {
    int descriptor;
    bool is_stream;
    uint64_t position;     /* of a stream */
    atomic_int error;      /* the first one, or 0 */
    const char *temporary; /* name of the file; NULL: it has none, or is not temporary */
};

#endif
