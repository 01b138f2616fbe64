/* Text in a buffer; see text_output.h. */
#include "report/text_output.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/file_sink.h"
#include "base/terminal_text.h"

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

/* Whether all eight bytes are printable ASCII characters. */
static bool are_safe(const char *eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t word, tops = each << 7;
    memcpy(&word, eight, sizeof word);
    uint64_t is_del = (word ^ (each * 0x7f)) - each;
    return !(((word - each * ' ') | is_del | word) & tops);
}

bool text_name_is_plain(const char *name)
{
    size_t size = strlen(name), i = 0;
    while (i + sizeof(uint64_t) <= size && are_safe(name + i))
        i += sizeof(uint64_t);
    bool is_safe = true;
    while (i < size && is_safe)
        i += terminal_text_read(name + i, &is_safe);
    return is_safe;
}

size_t text_put_name(struct text_output *output, const char *name)
{
    size_t written = 0;
    if (text_name_is_plain(name)) {
        written = strlen(name);
        text_put_bytes(output, name, written);
        return written;
    }
    for (size_t size; *name; name += size) {
        char shown[TERMINAL_LONGEST_SHOWN];
        size_t shown_size = terminal_text_show_character(shown, name, &size);
        text_put_bytes(output, shown, shown_size);
        written += shown_size;
    }
    return written;
}
