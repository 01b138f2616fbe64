/* A read-only span of bytes and the only ways to read from it.
 *
 * Every value in a device ELF, fat binary or archive is little-endian, whatever the host is; these
 * readers are written with shifts, so that no result depends on the host's byte order or alignment
 * rules (compilers turn them into one load where the host allows). */
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

static inline uint16_t load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load_u64(const uint8_t *p)
{
    return (uint64_t)load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

static inline void store_u16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

/* Without a loop, which gcc 12 does not turn into one store. */
static inline void store_u32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
}

static inline void store_u64(uint8_t *p, uint64_t value)
{
    store_u32(p, (uint32_t)value);
    store_u32(p + 4, (uint32_t)(value >> 32));
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

#endif
