/* Makes the ELF file of a host object, from sections, symbols and relocations that are added one by
 * one. */
#ifndef WARPLD_HOSTOBJECT_HOST_SECTIONS_H
#define WARPLD_HOSTOBJECT_HOST_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "hostobject/pieces.h"

/* The indices of the sections, in the order of the file. KINDS in host_sections.c has a row for
 * each section. */
enum host_section {
    HOST_UNDEFINED,
    HOST_TEXT,
    HOST_TEXT_RELOCATIONS,
    HOST_BSS,
    HOST_RODATA,
    HOST_MODULE_IDS,
    HOST_FATBIN,
    HOST_SEGMENT,
    HOST_SEGMENT_RELOCATIONS,
    HOST_STACK_NOTE,
    HOST_FRAMES,
    HOST_FRAMES_RELOCATIONS,
    HOST_SYMBOLS,
    HOST_SYMBOL_NAMES,
    HOST_SECTION_NAMES,
    HOST_SECTION_COUNT,
};

struct host_symbol {
    const char *name;
    uint8_t type; /* STT_* */
    enum host_section section;
    uint64_t value;
    uint64_t size;
};

struct host_relocation {
    uint64_t offset;
    uint32_t type;
    uint32_t symbol;
    int64_t addend;
};

struct host_sections {
    struct arena *arena;
    uint8_t *contents[HOST_SECTION_COUNT];
    uint64_t sizes[HOST_SECTION_COUNT];
    uint64_t capacities[HOST_SECTION_COUNT];
    uint32_t symbols_count;
    /* Number of local symbols, including the null symbol and the file symbol. The caller sets it
     * after it has added the last local symbol. */
    uint32_t locals_count;
};

/* Adds the null symbol and the file symbol, which every object has. Requires: the arena is set. */
void host_sections_start(struct host_sections *sections);

void host_sections_add(struct host_sections *sections, enum host_section section, const void *data,
                       uint64_t size);

/* Adds a symbol and returns its index. The symbol is local if locals_count is still 0, otherwise
 * global. */
uint32_t host_sections_add_symbol(struct host_sections *sections, const struct host_symbol *symbol);

/* Adds a relocation that applies to a field of `section`. Requires: the next section in enum
 * host_section contains the relocations of `section`. */
void host_sections_relocate(struct host_sections *sections, enum host_section section,
                            struct host_relocation relocation);

/* Adds the whole object to an empty file. The section .nv_fatbin contains `fatbin`. */
void host_sections_write(struct host_sections *sections, struct pieces *file, unsigned machine,
                         const struct pieces *fatbin);

#endif
