/* Reads the debug information entries (DIEs) of DWARF 2 to 4, as the compilers of CUDA write them.
 *
 * The bytes are not trusted. Reading fails at an unknown form and at the end of the bytes. After a
 * failure, each read returns 0, NULL or no entry. */
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

/* The debug sections of one file, and the state of reading them. */
struct dwarf {
    struct bytes info;
    struct bytes abbreviations;
    struct bytes strings; /* .debug_str up to its last NUL; may be empty */
    /* Number of bytes that may still be read. A unit can refer to one entry or string any number of
     * times, so a damaged file could take very long. */
    uint64_t bytes_left;

    /* The list of abbreviations that was read last, and its offset; initially zero. It is kept
     * because the next unit often uses the same list. */
    struct dwarf_abbreviations *newest;
    uint64_t newest_offset;
    /* Number of forms read from .debug_abbrev. Reading ends if this number exceeds the size of the
     * section in bytes. A file from a compiler does not reach this limit, because each form takes
     * at least two bytes. */
    uint64_t forms_read;
};

/* A debug information entry, with only those attributes that cubintool needs. */
struct dwarf_entry {
    uint64_t offset; /* in .debug_info */
    uint32_t tag;    /* enum dwarf_tag or another tag; 0 ends a list of children */
    bool has_children;
    const char *name;         /* or NULL */
    const char *linkage_name; /* or NULL */
    uint64_t type;            /* offset of the type's entry in .debug_info; 0: none */
};

/* A compilation unit. */
struct dwarf_unit {
    struct dwarf *dwarf;
    uint64_t start, end; /* offsets in .debug_info */
    uint64_t first;      /* offset of the first entry */
    struct dwarf_abbreviations *abbreviations;
};

/* Prepares the reading of debug sections. The number of bytes that may be read is proportional to
 * the size of the sections. */
void dwarf_init(struct dwarf *dwarf, struct bytes info, struct bytes abbreviations,
                struct bytes strings);

/* Subtracts the size of a text that is copied or compared, or of an entry that is read, from
 * dwarf->bytes_left. Returns false if this number is used up. */
bool dwarf_afford(struct dwarf *dwarf, uint64_t size);

/* Reads the unit at the offset `at`. The next unit begins at unit->end. Returns false after the
 * last unit, and for a unit that is damaged or is not DWARF 2 to 4 with addresses of 8 bytes. */
bool dwarf_unit_read(struct dwarf_unit *unit, struct dwarf *dwarf, uint64_t at,
                     struct arena *arena);

/* Reads the entry at the offset `at` of .debug_info, and sets *next to the offset of the next
 * entry. Returns false if the unit has no entry there, or if the entry cannot be read. */
bool dwarf_entry_read(const struct dwarf_unit *unit, uint64_t at, struct dwarf_entry *entry,
                      uint64_t *next);

#endif
