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
    FATBIN_64BIT = 0x1, /* nvlink never uses an entry without this flag */
    FATBIN_DEBUG = 0x2,
    FATBIN_LZ4 = 0x2000,
    FATBIN_ZSTANDARD = 0x8000,
    FATBIN_UNKNOWN = 0x15000,      /* nvlink 13.0.88 never uses an entry with one of these bits */
    FATBIN_ACCELERATED = 0x100000, /* for a target with suffix a */
    FATBIN_FAMILY = 0x200000,      /* for a target with suffix f */
};

/* One entry of a container. The bytes of the spans are part of the container, not copies. */
struct fatbin_entry {
    uint16_t kind; /* enum fatbin_kind or an unknown number */
    uint32_t sm;   /* SM number of the target */
    uint64_t flags;
    struct bytes payload;     /* the stored bytes; a packed payload is without its padding */
    uint64_t unpacked_size;   /* size of a packed payload after unpacking; 0 for other payloads */
    struct bytes identifier;  /* name of the source file, without NUL; usually empty */
    struct bytes option_text; /* options of the compiler, without NUL */
    uint16_t major, minor;    /* version of PTX */
};

/* The state of reading the containers of a file. */
struct fatbin {
    struct bytes container; /* the current container, including its header */
    struct bytes rest;      /* the entries of the current container that have not been read */
    struct bytes after;     /* the bytes of the file that follow the current container */
    const char *problem;    /* text that says what is wrong, or NULL */
};

/* Returns true if the bytes begin with a container's magic. */
bool fatbin_recognise(struct bytes file);

/* Returns the offset of the end of the last container in a file whose first bytes are `start`.
 * Returns UINT64_MAX if `start` is too short to contain that end. */
uint64_t fatbin_extent(struct bytes start);

/* Starts reading one or more containers. */
void fatbin_open(struct fatbin *fatbin, struct bytes file);

/* Reads the next entry of the current container. Returns false at the container's end, or if the
 * entry is damaged. In the second case, fatbin->problem says what is wrong. */
bool fatbin_next_entry(struct fatbin *fatbin, struct fatbin_entry *entry);

/* Skips zeros after the current container and opens the next container. Returns false if only zeros
 * follow, or if the next container is damaged or does not begin with the magic. */
bool fatbin_next_container(struct fatbin *fatbin);

static inline bool fatbin_entry_is_packed(const struct fatbin_entry *entry)
{
    return entry->flags & (FATBIN_LZ4 | FATBIN_ZSTANDARD);
}

/* Returns false if the packed bytes of an entry are too few for entry->unpacked_size. Callers must
 * check this before they allocate unpacked_size bytes. */
bool fatbin_unpacked_size_is_plausible(const struct fatbin_entry *entry);

/* The state of the unpacking libraries. It is reused for all entries: creating one for each of
 * 1,000 entries took 23 % of the time of a link. The initial state is all zeros. Only one thread at
 * a time may use it. */
struct fatbin_unpacker {
    struct ZSTD_DCtx_s *zstandard;
};

void fatbin_unpacker_destroy(struct fatbin_unpacker *unpacker);

/* Unpacks the payload into entry->unpacked_size bytes. Returns false if the payload is damaged, if
 * it has a different unpacked size, or if memory has run out. */
bool fatbin_unpack(struct fatbin_unpacker *unpacker, const struct fatbin_entry *entry,
                   uint8_t *unpacked);

#endif
