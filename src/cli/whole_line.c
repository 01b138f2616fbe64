/* Lines on standard error; see whole_line.h. */
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

/* Removes the bytes that were written from the front. */
static struct iovec *skip(struct iovec *part, const struct iovec *end, size_t size)
{
    for (; part < end && size >= part->iov_len; part++)
        size -= part->iov_len;
    if (part < end)
        *part = (struct iovec){(char *)part->iov_base + size, part->iov_len - size};
    return part;
}

/* A pipe can accept fewer bytes when a signal interrupts the call. */
void whole_line_write(struct whole_line *line)
{
    whole_line_add(line, "\n");
    struct iovec *part = line->parts, *end = part + line->count;
    while (part < end) {
        ssize_t size = writev(STDERR_FILENO, part, (int)(end - part));
        if (size < 0 && errno != EINTR)
            return;
        part = skip(part, end, size < 0 ? 0 : (size_t)size);
    }
}

void whole_line_write_text(const char *text)
{
    struct whole_line line = {.count = 0};
    whole_line_add(&line, text);
    whole_line_write(&line);
}
