/* Offsets in the headers of fat binaries, for their reader and their writer. The fields were found
 * by comparing what fatbinary 13.0.88 writes for each target, mode of compression and option. */
#ifndef WARPLD_FORMAT_CONTAINER_FATBIN_LAYOUT_H
#define WARPLD_FORMAT_CONTAINER_FATBIN_LAYOUT_H

/* In the header of a container. */
enum {
    FATBIN_CONTAINER_MAGIC = 0,
    FATBIN_CONTAINER_VERSION = 4,
    FATBIN_CONTAINER_HEADER_SIZE = 6,
    FATBIN_CONTAINER_CONTENT_SIZE = 8,
    FATBIN_CONTAINER_SIZE = 16, /* size of the smallest header */
};
enum { FATBIN_VERSION = 1 };

/* In the header of an entry. */
enum {
    FATBIN_ENTRY_KIND = 0x00,
    FATBIN_ENTRY_VERSION = 0x02,
    FATBIN_ENTRY_HEADER_SIZE = 0x04,
    FATBIN_ENTRY_PAYLOAD_SIZE = 0x08, /* size including padding */
    FATBIN_ENTRY_PACKED_SIZE = 0x10,  /* size without padding; 0 if the payload is not packed */
    FATBIN_ENTRY_OPTIONS = 0x14,      /* offset of the record of options from the entry, or 0 */
    FATBIN_ENTRY_MINOR = 0x18,
    FATBIN_ENTRY_MAJOR = 0x1a,
    FATBIN_ENTRY_SM = 0x1c,
    FATBIN_ENTRY_IDENTIFIER = 0x20,
    FATBIN_ENTRY_IDENTIFIER_SIZE = 0x24,
    FATBIN_ENTRY_FLAGS = 0x28,
    FATBIN_ENTRY_UNPACKED_SIZE = 0x38,
    FATBIN_ENTRY_SIZE = 0x40, /* size of the smallest header */
};

/* The record of options: the offset of the text from the start of the entry, and the length of the
 * text. */
enum { FATBIN_RECORD_TEXT = 0, FATBIN_RECORD_TEXT_SIZE = 4, FATBIN_RECORD_SIZE = 8 };

#endif
