/* Offsets in the headers of fat binaries, for the code that reads and writes them. The fields were
 * found by comparing the outputs of fatbinary 13.0.88 for each target, compression mode and
 * option. */
#ifndef WARPLD_FORMAT_CONTAINER_FATBIN_LAYOUT_H
#define WARPLD_FORMAT_CONTAINER_FATBIN_LAYOUT_H

/* Offsets in the header of a container. */
enum {
    FATBIN_CONTAINER_MAGIC = 0,
    FATBIN_CONTAINER_VERSION = 4,
    FATBIN_CONTAINER_HEADER_SIZE = 6,
    FATBIN_CONTAINER_CONTENT_SIZE = 8,
    FATBIN_CONTAINER_SIZE = 16, /* size of the smallest header */
};
enum { FATBIN_VERSION = 1 };

/* Offsets in the header of an entry. */
enum {
    FATBIN_ENTRY_KIND = 0x00,
    FATBIN_ENTRY_VERSION = 0x02,
    FATBIN_ENTRY_HEADER_SIZE = 0x04,
    FATBIN_ENTRY_PAYLOAD_SIZE = 0x08, /* size of the payload including padding */
    FATBIN_ENTRY_PACKED_SIZE = 0x10,  /* size of a packed payload without padding, or 0 */
    FATBIN_ENTRY_OPTIONS = 0x14,      /* offset of the option record from the entry's start, or 0 */
    FATBIN_ENTRY_MINOR = 0x18,
    FATBIN_ENTRY_MAJOR = 0x1a,
    FATBIN_ENTRY_SM = 0x1c,
    FATBIN_ENTRY_IDENTIFIER = 0x20,
    FATBIN_ENTRY_IDENTIFIER_SIZE = 0x24,
    FATBIN_ENTRY_FLAGS = 0x28,
    FATBIN_ENTRY_UNPACKED_SIZE = 0x38,
    FATBIN_ENTRY_SIZE = 0x40, /* size of the smallest header */
};

/* Offsets in the option record. FATBIN_RECORD_TEXT is the field with the offset of the option text
 * from the start of the entry. */
enum { FATBIN_RECORD_TEXT = 0, FATBIN_RECORD_TEXT_SIZE = 4, FATBIN_RECORD_SIZE = 8 };

#endif
