/* Writes text to a file or a stream through a buffer. */
#ifndef WARPLD_REPORT_TEXT_OUTPUT_H
#define WARPLD_REPORT_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct file_sink;

enum { TEXT_OUTPUT_SIZE = 256 << 10 };

/* Exactly one of `sink` and `stream` is set. */
struct text_output {
    struct file_sink *sink;
    FILE *stream;
    uint64_t written; /* bytes written before those in the buffer */
    size_t used;
    char buffer[TEXT_OUTPUT_SIZE];
};

/* Begins a text that is written to the sink. */
void text_output_start(struct text_output *output, struct file_sink *sink);

/* Writes what is in the buffer. */
void text_output_flush(struct text_output *output);

void text_put_slowly(struct text_output *output, const char *text, size_t size);

static inline void text_put_bytes(struct text_output *output, const char *text, size_t size)
{
    if (size > sizeof output->buffer - output->used) {
        text_put_slowly(output, text, size);
        return;
    }
    memcpy(output->buffer + output->used, text, size);
    output->used += size;
}

/* Returns the address of at least `size` free bytes in the buffer. The caller writes there, and
 * passes the end of what it wrote to text_advance. Requires: size <= TEXT_OUTPUT_SIZE. */
static inline char *text_reserve(struct text_output *output, size_t size)
{
    if (size > sizeof output->buffer - output->used)
        text_output_flush(output);
    return output->buffer + output->used;
}

static inline void text_advance(struct text_output *output, const char *end)
{
    output->used = (size_t)(end - output->buffer);
}

static inline void text_put(struct text_output *output, const char *text)
{
    text_put_bytes(output, text, strlen(text));
}

static inline void text_put_char(struct text_output *output, char character)
{
    text_put_bytes(output, &character, 1);
}

void text_put_spaces(struct text_output *output, size_t count);

/* Writes a number in base 10 or 16, padded with spaces on the left to `width` columns. */
void text_put_number(struct text_output *output, uint64_t number, unsigned base, unsigned width);

/* Writes a name from a file, with escapes for characters that must not reach a terminal
 * (base/terminal_text.h). Returns the number of bytes written. */
size_t text_put_name(struct text_output *output, const char *name);

/* Whether text_put_name writes the name without changes. */
bool text_name_is_plain(const char *name);

#endif
