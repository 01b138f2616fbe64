/* Reads the debug information entries (DIEs) of DWARF 2 to 4, as the compilers of CUDA write them.
 *
 * The bytes are not trusted. Reading fails at an unknown form and at the end of the bytes. From
 * then on, all that is read is 0, NULL or no entry. */
#ifndef WARPLD_TOOL_DEBUG_DWARF_H
#define WARPLD_TOOL_DEBUG_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

enum dwarf_tag {
    DW_TAG_ARRAY = 0x01,
    DW_TAG_PARAMETER = 0x05,
    DW_TAG_POINTER = 0x0f,
    DW_TAG_REFERENCE = 0x10,
    DW_TAG_SUBPROGRAM = 0x2e,
    DW_TAG_CONST = 0x26,
    DW_TAG_VOLATILE = 0x35,
    DW_TAG_RESTRICT = 0x37,
};

/* The sections of one file. */
struct dwarf {
    struct bytes info;
    struct bytes abbreviations;
    struct bytes strings; /* .debug_str; may be empty */

    /* The state of reading, initially zero. The list of abbreviations that was read last is kept,
     * because the next unit can use the same list. */
    struct dwarf_abbreviations *newest;
    uint64_t newest_offset;
    /* Number of forms read from the section of abbreviations. Reading ends if it exceeds the number
     * of bytes of the section. Only a damaged file can reach this limit, because each form takes at
     * least two bytes. */
    uint64_t forms_read;
};

/* An entry, with the attributes that its readers need. */
struct dwarf_entry {
    uint64_t offset; /* in .debug_info */
    uint32_t tag;    /* enum dwarf_tag, or another; 0 ends the children of an entry */
    bool has_children;
    const char *name;         /* or NULL */
    const char *linkage_name; /* or NULL */
    uint64_t type;            /* offset of an entry in .debug_info; 0 is none */
};

/* A compilation unit. */
struct dwarf_unit {
    struct dwarf *dwarf;
    uint64_t start, end; /* offsets in .debug_info */
    uint64_t first;      /* offset of the first entry */
    struct dwarf_abbreviations *abbreviations;
};

/* Reads the unit at an offset; the following one begins at its end. Returns false after the last
 * unit, and for a unit that is damaged or is not DWARF 2 to 4 with addresses of 8 bytes. */
bool dwarf_unit_read(struct dwarf_unit *unit, struct dwarf *dwarf, uint64_t at,
                     struct arena *arena);

/* Reads the entry at an offset of the unit and sets `next` to the offset of the following entry.
 * Returns false if there is no entry, or if it cannot be read. */
bool dwarf_entry_read(const struct dwarf_unit *unit, uint64_t at, struct dwarf_entry *entry,
                      uint64_t *next);

#endif
