/* Reads the parts of Rust's mangled names, and writes the readable text; see rust_reader.h. */
#include "readable_name/rust_reader.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 100 };

void rust_put_bytes(struct rust *rust, const char *bytes, size_t size)
{
    if (rust->is_silent)
        return;
    rust->failed |= size >= rust->capacity - rust->size;
    if (rust->failed)
        return;
    memcpy(rust->text + rust->size, bytes, size);
    rust->size += size;
    rust->text[rust->size] = 0;
}

void rust_put(struct rust *rust, const char *text)
{
    rust_put_bytes(rust, text, strlen(text));
}

void rust_put_number(struct rust *rust, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    rust_put(rust, text);
}

bool rust_accept(struct rust *rust, char c)
{
    bool is_next = !rust->failed && *rust->next == c;
    rust->next += is_next;
    return is_next;
}

char rust_take(struct rust *rust)
{
    rust->failed |= !*rust->next;
    return rust->failed ? 0 : *rust->next++;
}

bool rust_enter(struct rust *rust)
{
    rust->failed |= ++rust->depth > MOST_DEPTH;
    return !rust->failed;
}

void rust_leave(struct rust *rust)
{
    rust->depth--;
}

uint64_t rust_read_base62(struct rust *rust)
{
    static const char DIGITS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint64_t number = 0;
    if (rust_accept(rust, '_'))
        return 0;
    while (!rust_accept(rust, '_')) {
        char c = rust_take(rust);
        const char *digit = c ? strchr(DIGITS, c) : NULL;
        rust->failed |= !digit || number > UINT64_MAX / 64;
        if (rust->failed)
            return 0;
        number = number * 62 + (uint64_t)(digit - DIGITS);
    }
    return number + 1;
}

uint64_t rust_read_tagged_base62(struct rust *rust, char tag)
{
    return rust_accept(rust, tag) ? rust_read_base62(rust) + 1 : 0;
}

struct rust_identifier rust_read_identifier(struct rust *rust)
{
    struct rust_identifier identifier = {.is_punycode = rust_accept(rust, 'u')};
    const char *start = rust->next;
    while (!rust->failed && *rust->next >= '0' && *rust->next <= '9' && *start != '0' &&
           identifier.size < RUST_MOST_TEXT)
        identifier.size = identifier.size * 10 + (size_t)(*rust->next++ - '0');
    if (rust->next == start)
        rust->failed |= !rust_accept(rust, '0');
    if (!rust->is_legacy) /* in v0 a "_" may separate the number from the name */
        rust_accept(rust, '_');
    rust->failed |= strnlen(rust->next, identifier.size) < identifier.size;
    if (rust->failed)
        return (struct rust_identifier){"", 0, false};
    identifier.bytes = rust->next;
    rust->next += identifier.size;
    return identifier;
}

void rust_put_identifier(struct rust *rust, struct rust_identifier identifier)
{
    rust_put(rust, identifier.is_punycode ? "punycode{" : "");
    rust_put_bytes(rust, identifier.bytes, identifier.size);
    rust_put(rust, identifier.is_punycode ? "}" : "");
}

const char *rust_follow_reference(struct rust *rust)
{
    size_t here = (size_t)(rust->next - rust->name) - 1;
    uint64_t target = rust_read_base62(rust);
    const char *after = rust->next;
    rust->failed |= target >= here;
    if (!rust->failed)
        rust->next = rust->name + target;
    return after;
}

void rust_read_referenced(struct rust *rust, void (*read)(struct rust *rust))
{
    const char *after = rust_follow_reference(rust);
    if (!rust->is_silent)
        read(rust);
    rust->next = after;
}

size_t rust_read_list(struct rust *rust, void (*element)(struct rust *rust))
{
    size_t count = 0;
    for (; !rust->failed && !rust_accept(rust, 'E'); count++) {
        rust_put(rust, count ? ", " : "");
        element(rust);
    }
    return count;
}
