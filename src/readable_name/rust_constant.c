/* Reads constants in mangled names of Rust, which are generic arguments and sizes of arrays; see
 * rust_reader.h. */
#include "readable_name/rust_reader.h"

#include <stdio.h>
#include <string.h>

/* Reads an integer, whose digits are hexadecimal. Like rustc-demangle, prints it in decimal if it
 * fits into 64 bits. */
static void read_integer(struct rust *rust)
{
    rust_put(rust, rust_accept(rust, 'n') ? "-" : "");
    const char *digits = rust->next;
    size_t size = strspn(digits, "0123456789abcdef");
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number =
            number << 4 | (uint64_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
    rust->next += size;
    rust->failed |= !rust_accept(rust, '_');
    if (size <= 16) {
        rust_put_number(rust, number);
    } else {
        rust_put(rust, "0x");
        rust_put_bytes(rust, digits, size);
    }
}

static void read_boolean(struct rust *rust)
{
    bool is_true = rust_accept(rust, '1');
    rust->failed |= (!is_true && !rust_accept(rust, '0')) || !rust_accept(rust, '_');
    rust_put(rust, is_true ? "true" : "false");
}

static void read_character(struct rust *rust)
{
    char *end, text[24];
    unsigned long code = 0;
    for (end = text; *rust->next && *rust->next != '_' && end < text + 8; end++) {
        char c = rust_take(rust);
        code = code << 4 | (unsigned long)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    rust->failed |= !rust_accept(rust, '_');
    bool is_plain = code >= ' ' && code < 0x7f && code != '\'' && code != '\\';
    snprintf(text, sizeof text, is_plain ? "'%c'" : "'\\u{%x}'", (unsigned)code);
    rust_put(rust, text);
}

void rust_read_constant(struct rust *rust)
{
    if (rust_accept(rust, 'B')) {
        if (rust_enter(rust))
            rust_read_referenced(rust, rust_read_constant);
        rust_leave(rust);
        return;
    }
    char type = rust_take(rust);
    if (type == 'p')
        rust_put(rust, "_");
    else if (type == 'b')
        read_boolean(rust);
    else if (type == 'c')
        read_character(rust);
    else if (type && strchr("ahijlmnostxy", type))
        read_integer(rust);
    else
        rust->failed = true;
}
