/* Fat binaries: containers of code for several targets.
 *
 * A container is a header of 16 bytes (magic, version, size) and entries back to back; each entry
 * is a header, optional texts and a payload of PTX text, machine code (a device ELF) or LTO-IR, as
 * it is or packed with LZ4 or Zstandard. Several containers may follow one another. Found by
 * reading what fatbinary 13.0.88 writes with each of its options, and by patching it and seeing
 * what nvlink 13.0.88 still takes. */
#ifndef WARPLD_FORMAT_CONTAINER_FATBIN_H
#define WARPLD_FORMAT_CONTAINER_FATBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

#define FATBIN_MAGIC UINT32_C(0xba55ed50)

enum { FATBIN_ALIGNMENT = 8 }; /* of containers, entries and payloads */

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2, FATBIN_LTO_IR = 8 };

enum fatbin_flags {
    FATBIN_64BIT = 0x1, /* nvlink takes no entry without it */
    FATBIN_DEBUG = 0x2,
    FATBIN_LZ4 = 0x2000,
    FATBIN_ZSTANDARD = 0x8000,
    FATBIN_UNKNOWN = 0x15000,      /* nvlink 13.0.88 takes none with one of these bits */
    FATBIN_ACCELERATED = 0x100000, /* the a variant of the target */
    FATBIN_FAMILY = 0x200000,      /* the f variant */
};

/* One entry; all spans lie inside the container. */
struct fatbin_entry {
    uint16_t kind; /* enum fatbin_kind; others are possible */
    uint32_t sm;   /* number of the target */
    uint64_t flags;
    struct bytes payload;     /* as it is stored, without padding */
    uint64_t unpacked_size;   /* of a packed payload; 0 when it is stored as it is */
    struct bytes identifier;  /* of the source file, without NUL; usually empty */
    struct bytes option_text; /* of the compiler, without NUL */
    uint16_t major, minor;    /* PTX version for PTX */
};

/* Where reading stands. */
struct fatbin {
    struct bytes container; /* being read, with its header */
    struct bytes rest;      /* of its entries */
    struct bytes behind;    /* what follows that container */
    const char *problem;    /* what is wrong, in words; NULL while nothing is */
};

/* True when the bytes begin with a container's magic. */
bool fatbin_recognise(struct bytes file);

/* Begins to read one container or several. */
void fatbin_open(struct fatbin *fatbin, struct bytes file);

/* The next entry of the container being read; false at its end, or with a problem. */
bool fatbin_next_entry(struct fatbin *fatbin, struct fatbin_entry *entry);

/* Goes to the next container; false when there is none, or with a problem. Bytes that are no
 * container end the list: zero padding, or what a section holds behind it. */
bool fatbin_next_container(struct fatbin *fatbin);

static inline bool fatbin_entry_is_packed(const struct fatbin_entry *entry)
{
    return entry->flags & (FATBIN_LZ4 | FATBIN_ZSTANDARD);
}

/* Whether the size that a packed entry states can be believed: no packing shrinks more. Check it
 * before taking memory. */
bool fatbin_unpacked_size_is_plausible(const struct fatbin_entry *entry);

/* Unpacks into exactly unpacked_size bytes; false when the payload is damaged. */
bool fatbin_unpack(const struct fatbin_entry *entry, uint8_t *unpacked);

#endif
