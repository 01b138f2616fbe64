/* Text in a buffer; see text_output.h. */
#include "report/text_output.h"

#include "base/bytes.h"
#include "base/file.h"

void text_output_flush(struct text_output *output)
{
    if (output->sink)
        file_sink_put(output->sink, output->written,
                      (struct bytes){(const uint8_t *)output->buffer, output->used});
    else
        fwrite(output->buffer, 1, output->used, output->stream);
    output->written += output->used;
    output->used = 0;
}

void text_put_slowly(struct text_output *output, const char *text, size_t size)
{
    while (size) {
        size_t space = sizeof output->buffer - output->used, part = size < space ? size : space;
        memcpy(output->buffer + output->used, text, part);
        output->used += part;
        text += part;
        size -= part;
        if (size)
            text_output_flush(output);
    }
}

void text_put_spaces(struct text_output *output, size_t count)
{
    static const char SPACES[] = "                                                                ";
    for (; count > sizeof SPACES - 1; count -= sizeof SPACES - 1)
        text_put_bytes(output, SPACES, sizeof SPACES - 1);
    text_put_bytes(output, SPACES, count);
}

void text_put_number(struct text_output *output, uint64_t number, unsigned base, unsigned width)
{
    enum { MOST_DIGITS = 20 };
    char digits[64];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[base == 16 ? number & 15 : number % 10];
    while ((number = base == 16 ? number >> 4 : number / 10));
    while (sizeof digits - at < width && at)
        digits[--at] = ' ';
    text_put_bytes(output, digits + at, sizeof digits - at);
}

static inline int is_control(char character)
{
    unsigned char byte = (unsigned char)character;
    return byte < ' ' || byte == 0x7f;
}

size_t text_put_name(struct text_output *output, const char *name)
{
    size_t size = strlen(name), start = 0;
    for (size_t i = 0; i < size; i++)
        if (is_control(name[i])) {
            text_put_bytes(output, name + start, i - start);
            text_put_char(output, '?');
            start = i + 1;
        }
    text_put_bytes(output, name + start, size - start);
    return size;
}
