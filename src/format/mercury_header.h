/* The header of Mercury code, in the two forms that compilers write.
 *
 * The newer form was read from 8,591 sections of ptxas 13.0.88; ptxas 12.9 writes it, too. The
 * older form was read from 1,537 sections of ptxas 12.8; nvlink 13.0.88 converts it to the newer
 * one (docs/mercury.md, section 2).
 */
#ifndef WARPLD_FORMAT_MERCURY_HEADER_H
#define WARPLD_FORMAT_MERCURY_HEADER_H

#include "base/bytes.h"

struct mercury_header {
    uint32_t native_section;
    uint32_t form; /* second word of the header, unchanged */
    uint32_t item_count;
    uint32_t size; /* size of the header */
};

/* Returns false if the code is too short or has an unknown form. */
static inline bool mercury_header_read(struct bytes code, struct mercury_header *header)
{
    enum { OLDER_SIZE = 8, SIZE = 12 };
    const uint32_t form_now = 0xc0000001, older_mark = 0x40000000, older_mask = 0xf0000000;
    if (code.size < OLDER_SIZE)
        return false;
    uint32_t form = load_u32(code.data + 4);
    bool is_older = (form & older_mask) == older_mark; /* the other bits are the number of items */
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
