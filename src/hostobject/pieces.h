/* A file that is being made, as a list of pieces that follow one another. Pieces are not copied,
 * because device code is large. */
#ifndef WARPLD_HOSTOBJECT_PIECES_H
#define WARPLD_HOSTOBJECT_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

struct pieces {
    struct arena *arena;
    GROWING_ARRAY(struct bytes, list);
    uint64_t size; /* size of all pieces together */
};

/* Adds bytes, which must outlive the pieces. */
void pieces_add(struct pieces *pieces, struct bytes bytes);

/* Adds zeros until the size is a multiple of the alignment. The alignment is at most 16. */
void pieces_align(struct pieces *pieces, uint64_t alignment);

/* Writes the file. Returns 0 or an errno value, as file_replace_durably does. */
int pieces_write(const struct pieces *pieces, const char *path, bool is_durable);

#endif
