/* A read-only span of bytes and the functions that read from it.
 *
 * Every value in a device ELF, fat binary or archive is little-endian on any host. All reads of
 * file contents call these functions, so that no result depends on the host's byte order or
 * alignment rules. Each function copies the value with memcpy, which compiles to one instruction
 * where the host allows it. Shifting single bytes is slower: gcc 12 vectorised adjacent reads of
 * this kind into up to a hundred instructions. */
#ifndef WARPLD_BASE_BYTES_H
#define WARPLD_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    const uint8_t *data;
    uint64_t size;
};

/* Converts between the host's byte order and that of files, in either direction. */
static inline uint64_t little_endian_64(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

static inline uint32_t little_endian_32(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap32(value);
}

static inline uint16_t little_endian_16(uint16_t value)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap16(value);
}

static inline uint16_t load_u16(const uint8_t *p)
{
    uint16_t value;
    memcpy(&value, p, sizeof value);
    return little_endian_16(value);
}

static inline uint32_t load_u32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return little_endian_32(value);
}

static inline uint64_t load_u64(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return little_endian_64(value);
}

static inline void store_u16(uint8_t *p, uint16_t value)
{
    value = little_endian_16(value);
    memcpy(p, &value, sizeof value);
}

static inline void store_u32(uint8_t *p, uint32_t value)
{
    value = little_endian_32(value);
    memcpy(p, &value, sizeof value);
}

static inline void store_u64(uint8_t *p, uint64_t value)
{
    value = little_endian_64(value);
    memcpy(p, &value, sizeof value);
}

static inline bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, (size_t)a.size));
}

/* Returns true if [offset, offset + size) lies inside the span; cannot overflow. */
static inline bool bytes_contain(struct bytes span, uint64_t offset, uint64_t size)
{
    return offset <= span.size && size <= span.size - offset;
}

/* Sets *part to a part of the span. Returns false and leaves *part unchanged if the part does not
 * lie inside. */
static inline bool bytes_part(struct bytes span, uint64_t offset, uint64_t size, struct bytes *part)
{
    if (!bytes_contain(span, offset, size))
        return false;
    part->data = span.data + offset;
    part->size = size;
    return true;
}

/* Returns a + b, or UINT64_MAX if the sum overflows: a sum of sizes from an input then still
 * compares correctly with a limit. */
static inline uint64_t add_sizes(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Rounds `value` up to a multiple of `alignment`, but to at most UINT64_MAX. Alignments 0 and 1
 * leave it unchanged. */
static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
    if (alignment <= 1)
        return value;
    bool is_power = !(alignment & (alignment - 1)); /* the usual case, which needs no division */
    uint64_t rest = is_power ? value & (alignment - 1) : value % alignment;
    return rest ? add_sizes(value, alignment - rest) : value;
}

/* Like memcpy, for sizes that rarely exceed 32 bytes. Copies the first and the last bytes, which
 * may overlap, because that is faster than a call. Returns the end of the copy. */
static inline uint8_t *copy_short(uint8_t *out, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    if (size > 32 || size < 4) {
        memcpy(out, from, size);
    } else if (size >= 16) {
        memcpy(out, from, 16);
        memcpy(out + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        memcpy(out, from, 8);
        memcpy(out + size - 8, from + size - 8, 8);
    } else {
        memcpy(out, from, 4);
        memcpy(out + size - 4, from + size - 4, 4);
    }
    return out + size;
}

#endif
