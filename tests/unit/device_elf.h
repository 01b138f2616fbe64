/* A small valid device ELF, which unit tests open or damage.
 *
 * It has one of everything that elf_view_open reads: both views, extended section indices, both
 * forms of relocations, attributes, call graph, prototypes, notes, unified table entries, a common
 * symbol and a program header. Tests find sections by name and patch their bytes. */
#ifndef WARPLD_TESTS_UNIT_DEVICE_ELF_H
#define WARPLD_TESTS_UNIT_DEVICE_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"

struct device_elf {
    uint8_t *bytes; /* allocated without padding, so that AddressSanitizer reports reads past the
                     * end */
    size_t size;
};

/* Offsets of fields, for patching. */
enum {
    HEADER_TYPE = 16,
    HEADER_MACHINE = 18,
    HEADER_PHOFF = 32,
    HEADER_SHOFF = 40,
    HEADER_FLAGS = 48,
    HEADER_EHSIZE = 52,
    HEADER_PHENTSIZE = 54,
    HEADER_PHNUM = 56,
    HEADER_SHENTSIZE = 58,
    HEADER_SHNUM = 60,
    HEADER_SHSTRNDX = 62,
    SECTION_NAME = 0,
    SECTION_TYPE = 4,
    SECTION_FLAGS = 8,
    SECTION_OFFSET = 24,
    SECTION_SIZE = 32,
    SECTION_LINK = 40,
    SECTION_INFO = 44,
    SECTION_ALIGNMENT = 48,
    SECTION_ENTRY_SIZE = 56,
    SYMBOL_NAME = 0,
    SYMBOL_INFO = 4,
    SYMBOL_OTHER = 5,
    SYMBOL_SECTION = 6,
    SYMBOL_VALUE = 8,
    SYMBOL_SIZE = 16,
};

/* Section index of the names of sections. */
enum { DEVICE_ELF_NAMES = 1 };

/* Symbol indices. They are the same in .symtab and in .nv.merc.symtab. */
enum {
    SYMBOL_NULL,
    SYMBOL_TEXT_SECTION,
    SYMBOL_BANK,   /* the section of parameters */
    SYMBOL_KERNEL, /* "k", 128 bytes of code */
    SYMBOL_CALLEE, /* "f", undefined */
    SYMBOL_DATA,   /* 8 bytes in .nv.global.init */
    SYMBOL_ZERO,   /* 4 bytes in .nv.global */
    SYMBOL_COMMON, /* 12 bytes, alignment 4 */
    SYMBOL_SHARED, /* 16 bytes in .nv_debug.shared; the value is the alignment, 4 */
    SYMBOL_WEAK,   /* undefined */
    SYMBOL_COUNT_BOTH
};

void device_elf_build(struct device_elf *elf);
/* Reads a file instead of building one. The path is relative to the repository's root. */
void device_elf_read(struct device_elf *elf, const char *path);
void device_elf_free(struct device_elf *elf);

/* Appends bytes at the end of the file. Returns their offset. */
uint64_t device_elf_append(struct device_elf *elf, const void *bytes, size_t size);

/* Returns the index of the section with this name. Fails the test if there is none. */
uint32_t device_elf_index(const struct device_elf *elf, const char *name);

/* Return a pointer to the header of the section with this name, or to its contents. */
uint8_t *device_elf_header(struct device_elf *elf, const char *name);
uint8_t *device_elf_contents(struct device_elf *elf, const char *name);

/* Appends new contents for a section at the end of the file. The section's header gets their offset
 * and size. */
void device_elf_replace(struct device_elf *elf, const char *name, const void *bytes, size_t size);

/* These functions set a field of the ELF header, a field of a section's header, or a word of a
 * section's contents. */
void device_elf_set_header(struct device_elf *elf, size_t field, uint16_t value);
void device_elf_set_u32(struct device_elf *elf, const char *section, size_t field, uint32_t value);
void device_elf_set_u64(struct device_elf *elf, const char *section, size_t field, uint64_t value);
void device_elf_set_word(struct device_elf *elf, const char *section, size_t word, uint32_t value);

/* Returns a pointer to a symbol in the symbol table whose section has the name `table`. */
uint8_t *device_elf_symbol(struct device_elf *elf, const char *table, size_t index);

/* The result of opening a file. */
struct outcome {
    bool opened;
    unsigned calls;
    unsigned damages; /* violations because of which the file was not opened */
    unsigned seen[ELF_RULE_COUNT];
    struct elf_problem first;
    bool stop_at_once; /* set by the caller */
};
bool outcome_note_problem(void *outcome, const struct elf_problem *problem);
void device_elf_open(const struct device_elf *elf, struct outcome *outcome);

/* The out-of-memory handler of arenas in tests. It fails the test. */
void fail_out_of_memory(void *owner);

#endif
