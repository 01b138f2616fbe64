/* Lines of messages; see whole_line.h. */
#include "cli/whole_line.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

void whole_line_add_bytes(struct whole_line *line, const char *bytes, size_t size)
{
    assert(line->count < WHOLE_LINE_MOST_PARTS);
    if (size)
        line->parts[line->count++] = (struct iovec){(void *)bytes, size};
}

void whole_line_add(struct whole_line *line, const char *text)
{
    whole_line_add_bytes(line, text, strlen(text));
}

/* Removes the first `size` bytes, which have been written, from the parts. Returns the first part
 * that has bytes left. */
static struct iovec *skip(struct iovec *part, const struct iovec *end, size_t size)
{
    for (; part < end && size >= part->iov_len; part++)
        size -= part->iov_len;
    if (part < end)
        *part = (struct iovec){(char *)part->iov_base + size, part->iov_len - size};
    return part;
}

/* Writes all bytes of the parts. If a signal interrupts the call, a pipe may have accepted only
 * some of the bytes, so the call is repeated with the rest. Returns false if a call fails or writes
 * nothing. */
static bool write_parts(int descriptor, struct iovec *part, int count)
{
    const struct iovec *end = part + count;
    while (part < end) {
        ssize_t size = writev(descriptor, part, (int)(end - part));
        if (!size || (size < 0 && errno != EINTR))
            return false;
        part = skip(part, end, size < 0 ? 0 : (size_t)size);
    }
    return true;
}

void whole_line_write(struct whole_line *line)
{
    whole_line_add(line, "\n");
    write_parts(STDERR_FILENO, line->parts, line->count);
}

void whole_line_write_text(const char *text)
{
    struct whole_line line = {.count = 0};
    whole_line_add(&line, text);
    whole_line_write(&line);
}

static size_t size_of_parts(const struct whole_line *line)
{
    size_t size = 0;
    for (int i = 0; i < line->count; i++)
        size += line->parts[i].iov_len;
    return size;
}

void line_block_add(struct line_block *block, struct whole_line *line)
{
    whole_line_add(line, "\n");
    size_t size = size_of_parts(line);
    if (size > sizeof block->bytes - block->size)
        line_block_write(block);
    if (size > sizeof block->bytes) {
        block->failed |= !write_parts(block->descriptor, line->parts, line->count);
        return;
    }
    for (int i = 0; i < line->count; i++) {
        memcpy(block->bytes + block->size, line->parts[i].iov_base, line->parts[i].iov_len);
        block->size += line->parts[i].iov_len;
    }
}

void line_block_write(struct line_block *block)
{
    struct iovec part = {block->bytes, block->size};
    if (block->size)
        block->failed |= !write_parts(block->descriptor, &part, 1);
    block->size = 0;
}
