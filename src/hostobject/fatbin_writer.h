/* Makes fat binaries, as fatbinary 13.0.88 does for linked code. */
#ifndef WARPLD_HOSTOBJECT_FATBIN_WRITER_H
#define WARPLD_HOSTOBJECT_FATBIN_WRITER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/architecture.h"
#include "hostobject/pieces.h"

/* The compression modes of nvcc. DEFAULT, BALANCE and SPEED compress only the code of debug builds,
 * SIZE compresses all code, and NONE compresses nothing. SPEED uses LZ4, the others Zstandard. */
enum fatbin_compression {
#define COMPRESSION_MODE(name, word) COMPRESSION_##name,
#include "base/compression_mode.def"
#undef COMPRESSION_MODE
};

struct fatbin_image {
    const struct architecture *target;
    struct bytes cubin;
    const char *identifier; /* identifier of the image, which the fat binary repeats; "" for none */
    bool is_debug;
    enum fatbin_compression compression;
};

/* The stored form of an image. */
struct packed_image {
    struct bytes header;
    struct bytes payload; /* the cubin itself, if it is not compressed */
};

/* Makes the stored form of an image. Its header and payload are NULL if the image is too large to
 * be compressed. Several threads can pack images at the same time, each with its own arena. */
struct packed_image fatbin_pack(struct arena *arena, const struct fatbin_image *image);

/* Adds a fat binary with these images to a file. Requires: the size of the file so far is a
 * multiple of 8. */
void fatbin_add(struct pieces *pieces, const struct packed_image *images, size_t count);

#endif
