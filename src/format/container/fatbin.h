/* Fat binaries: containers of code for several targets.
 *
 * A container has a header of 16 bytes (magic, version, size) and entries without gaps. Each entry
 * has a header, optional texts and a payload of PTX text, machine code (a device ELF) or LTO-IR,
 * which may be packed with LZ4 or Zstandard. Several containers may follow one another. The format
 * was found by reading files that fatbinary 13.0.88 writes with each of its options, and by
 * patching them to see what nvlink 13.0.88 accepts. */
#ifndef WARPLD_FORMAT_CONTAINER_FATBIN_H
#define WARPLD_FORMAT_CONTAINER_FATBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

#define FATBIN_MAGIC UINT32_C(0xba55ed50)

enum { FATBIN_ALIGNMENT = 8 }; /* alignment of containers, entries and payloads */

enum { FATBIN_LARGEST_SM = 999 }; /* nvlink 13.0.88 refuses larger numbers, and 0 */

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2, FATBIN_LTO_IR = 8 };

enum fatbin_flags {
    FATBIN_64BIT = 0x1, /* nvlink accepts no entry without it */
    FATBIN_DEBUG = 0x2,
    FATBIN_LZ4 = 0x2000,
    FATBIN_ZSTANDARD = 0x8000,
    FATBIN_UNKNOWN = 0x15000,      /* nvlink 13.0.88 uses no entry with one of these bits */
    FATBIN_ACCELERATED = 0x100000, /* for a target with suffix a */
    FATBIN_FAMILY = 0x200000,      /* for a target with suffix f */
};

/* One entry; all spans lie inside the container. */
struct fatbin_entry {
    uint16_t kind; /* enum fatbin_kind or an unknown number */
    uint32_t sm;   /* number of the target */
    uint64_t flags;
    struct bytes payload;     /* as it is stored; without padding if it is packed */
    uint64_t unpacked_size;   /* size of the payload when unpacked; 0 if it is not packed */
    struct bytes identifier;  /* name of the source file, without NUL; usually empty */
    struct bytes option_text; /* options of the compiler, without NUL */
    uint16_t major, minor;    /* version of PTX */
};

/* The state of reading the containers of a file. */
struct fatbin {
    struct bytes container; /* the current one, with its header */
    struct bytes rest;      /* the entries of the container that have not been read */
    struct bytes after;     /* the bytes that follow the container */
    const char *problem;    /* text that says what is wrong, or NULL */
};

/* Returns true if the bytes begin with a container's magic. */
bool fatbin_recognise(struct bytes file);

/* Returns the offset at which the containers of a file end, if its first bytes show it. Returns
 * UINT64_MAX if they end beyond these bytes. */
uint64_t fatbin_extent(struct bytes start);

/* Starts reading one or more containers. */
void fatbin_open(struct fatbin *fatbin, struct bytes file);

/* Reads the next entry of the current container. Returns false at its end, or if there is a
 * problem.
 */
bool fatbin_next_entry(struct fatbin *fatbin, struct fatbin_entry *entry);

/* Advances to the next container, past padding with zeros. Returns false if there is none, or if
 * there is a problem. Bytes that are neither padding nor the magic of a container are a problem. */
bool fatbin_next_container(struct fatbin *fatbin);

static inline bool fatbin_entry_is_packed(const struct fatbin_entry *entry)
{
    return entry->flags & (FATBIN_LZ4 | FATBIN_ZSTANDARD);
}

/* Returns false if the packed bytes of an entry are too few for the unpacked size that it states.
 * Must be checked before memory is allocated for that size. */
bool fatbin_unpacked_size_is_plausible(const struct fatbin_entry *entry);

/* The state of the unpacking libraries. It is used again for each entry, because creating a state
 * for each of 1,000 entries took 23 % of the time of a link. A zeroed structure is the initial
 * state. Only one thread may use it at a time. */
struct fatbin_unpacker {
    struct ZSTD_DCtx_s *zstandard;
};

void fatbin_unpacker_destroy(struct fatbin_unpacker *unpacker);

/* Unpacks into exactly unpacked_size bytes. Returns false if the payload is damaged or if memory
 * has run out. */
bool fatbin_unpack(struct fatbin_unpacker *unpacker, const struct fatbin_entry *entry,
                   uint8_t *unpacked);

#endif
