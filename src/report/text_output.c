/* Text in a buffer; see text_output.h. */
#include "report/text_output.h"

#include "base/bytes.h"
#include "base/file.h"

void text_output_start(struct text_output *output, struct file_sink *sink)
{
    output->sink = sink;
    output->written = 0;
    output->used = 0;
}

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

enum { MOST_DIGITS = 20 };

static unsigned digits_of(uint64_t number, unsigned base)
{
    unsigned digits = 1;
    for (uint64_t rest = number / base; rest; rest /= base)
        digits++;
    return digits;
}

void text_put_number(struct text_output *output, uint64_t number, unsigned base, unsigned width)
{
    unsigned digits = base == 16 && number ? (67 - (unsigned)__builtin_clzll(number)) / 4
                                           : digits_of(number, base);
    unsigned columns = digits < width ? width : digits;
    char *text = text_reserve(output, columns + MOST_DIGITS);
    memset(text, ' ', columns);
    text_advance(output, text + columns);
    char *end = text + columns;
    for (unsigned i = 0; i < digits; i++, number = base == 16 ? number >> 4 : number / 10)
        *--end = "0123456789abcdef"[base == 16 ? number & 15 : number % 10];
}

static inline bool is_control(char character)
{
    unsigned char byte = (unsigned char)character;
    return byte < ' ' || byte == 0x7f;
}

/* Whether one of eight characters is below ' ' or is 0x7f. It may also be true if one is above
 * 0x7f. */
static bool may_have_control(const char *eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t word, tops = each << 7;
    memcpy(&word, eight, sizeof word);
    uint64_t is_del = ((word ^ (each * 0x7f)) - each) & tops;
    return (((word - each * ' ') & ~word) | is_del) & tops;
}

static bool has_control(const char *name, size_t size)
{
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t))
        if (may_have_control(name + i))
            return true;
    for (; i < size; i++)
        if (is_control(name[i]))
            return true;
    return false;
}

bool text_name_is_plain(const char *name)
{
    return !has_control(name, strlen(name));
}

size_t text_put_name(struct text_output *output, const char *name)
{
    size_t size = strlen(name), start = 0;
    if (!has_control(name, size)) {
        text_put_bytes(output, name, size);
        return size;
    }
    for (size_t i = 0; i < size; i++)
        if (is_control(name[i])) {
            text_put_bytes(output, name + start, i - start);
            text_put_char(output, '?');
            start = i + 1;
        }
    text_put_bytes(output, name + start, size - start);
    return size;
}
