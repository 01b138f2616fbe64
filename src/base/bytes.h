/* A read-only span of bytes and the only ways to read from it.
 *
 * Every value in a device ELF, fat binary or archive is little-endian, whatever the host is;
 * through these readers no result depends on the host's byte order or alignment rules. They are one
 * instruction each where the host allows: of shifts and single bytes gcc 12 made up to a hundred
 * when it joined neighbours into vectors. */
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

/* The value whose bytes in this host's order are those of `value` in the order of files, and back.
 */
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

/* True when [offset, offset + size) lies inside the span; cannot overflow. */
static inline bool bytes_contain(struct bytes span, uint64_t offset, uint64_t size)
{
    return offset <= span.size && size <= span.size - offset;
}

/* Takes a part of a span; false, and *part untouched, when it does not lie inside. */
static inline bool bytes_part(struct bytes span, uint64_t offset, uint64_t size, struct bytes *part)
{
    if (!bytes_contain(span, offset, size))
        return false;
    part->data = span.data + offset;
    part->size = size;
    return true;
}

/* a + b, or the largest number when that is more than 64 bits hold: sizes that are added up stay
 * comparable with a limit whatever the inputs say. */
static inline uint64_t add_sizes(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* value rounded up to a multiple of alignment, as far as 64 bits go; 0 and 1 mean no alignment. */
static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
    if (alignment <= 1)
        return value;
    bool is_power = !(alignment & (alignment - 1)); /* and needs no division, as nearly always */
    uint64_t rest = is_power ? value & (alignment - 1) : value % alignment;
    return rest ? add_sizes(value, alignment - rest) : value;
}

/* memcpy of what is seldom longer than 32 bytes, so that a call would take longer than to copy both
 * ends, which may overlap. Returns the place behind. */
static inline uint8_t *copy_short(uint8_t *place, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    if (size > 32 || size < 4) {
        memcpy(place, from, size);
    } else if (size >= 16) {
        memcpy(place, from, 16);
        memcpy(place + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        memcpy(place, from, 8);
        memcpy(place + size - 8, from + size - 8, 8);
    } else {
        memcpy(place, from, 4);
        memcpy(place + size - 4, from + size - 4, 4);
    }
    return place + size;
}

#endif
