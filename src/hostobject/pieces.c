/* Files in pieces; see pieces.h. */
#include "hostobject/pieces.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_sink.h"

void pieces_add(struct pieces *pieces, struct bytes bytes)
{
    if (!bytes.size)
        return;
    *ARENA_APPEND(pieces->arena, pieces, list) = bytes;
    pieces->size += bytes.size;
}

void pieces_align(struct pieces *pieces, uint64_t alignment)
{
    static const uint8_t ZEROS[16];
    pieces_add(pieces, (struct bytes){ZEROS, align_up(pieces->size, alignment) - pieces->size});
}

static bool put_pieces(void *context, struct file_sink *sink)
{
    const struct pieces *pieces = context;
    uint64_t offset = 0;
    for (uint32_t i = 0; i < pieces->list_count; i++) {
        file_sink_put(sink, offset, pieces->list[i]);
        offset += pieces->list[i].size;
    }
    return true;
}

/* Returns all pieces as one block of memory, so that a small file is written with one call. */
static struct bytes joined(const struct pieces *pieces)
{
    uint8_t *data = arena_alloc(pieces->arena, pieces->size), *end = data;
    for (uint32_t i = 0; i < pieces->list_count; i++) {
        memcpy(end, pieces->list[i].data, pieces->list[i].size);
        end += pieces->list[i].size;
    }
    return (struct bytes){data, pieces->size};
}

int pieces_write(const struct pieces *pieces, const char *path, bool is_durable)
{
    enum { SMALL = 1 << 20 };
    struct file_replacement replacement = {.is_durable = is_durable};
    if (pieces->size <= SMALL)
        return file_replace_durably(path, joined(pieces), is_durable);
    struct pieces copy = *pieces;
    int error = file_replace_made(path, put_pieces, &copy, &replacement);
    if (replacement.older >= 0)
        close(replacement.older);
    return error;
}
