/* The header of Mercury code, in the two forms that compilers write (docs/mercury.md, section 2).
 *
 * ptxas 12.9 and later write the newer form, which was observed in 8,591 sections of ptxas 13.0.88.
 * ptxas 12.8 writes the older form, which was observed in 1,537 sections. nvlink 13.0.88 converts
 * the older form to the newer form. */
#ifndef WARPLD_FORMAT_MERCURY_HEADER_H
#define WARPLD_FORMAT_MERCURY_HEADER_H

#include "base/bytes.h"

struct mercury_header {
    uint32_t native_section;
    uint32_t form; /* the second word of the header */
    uint32_t item_count;
    uint32_t size; /* size of the header in bytes */
};

/* Reads the header at the start of `code`. Returns false if the header is cut off or has an unknown
 * form. */
static inline bool mercury_header_read(struct bytes code, struct mercury_header *header)
{
    enum { OLDER_SIZE = 8, SIZE = 12 };
    const uint32_t form_now = 0xc0000001, older_mark = 0x40000000, older_mask = 0xf0000000;
    if (code.size < OLDER_SIZE)
        return false;
    uint32_t form = load_u32(code.data + 4);
    bool is_older = (form & older_mask) == older_mark; /* the lower 28 bits are item_count */
    if (!is_older && (form != form_now || code.size < SIZE))
        return false;
    *header = (struct mercury_header){
        .native_section = load_u32(code.data),
        .form = form,
        .item_count = is_older ? form & ~older_mask : load_u32(code.data + OLDER_SIZE),
        .size = is_older ? OLDER_SIZE : SIZE,
    };
    return true;
}

#endif
