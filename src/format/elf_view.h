/* A validated, read-only view of one device ELF.
 *
 * elf_view_open checks every header, offset, index, size, string and count against the bytes, once.
 * A view that opened is total: every accessor below may be called with any index smaller than the
 * count that the view gives, and reads nothing outside the file. Nothing is copied but the decoded
 * section headers; names and data point into the file's bytes, which must outlive the view.
 *
 * The model has both views of the code from the start. A file for sm_100 and later holds each
 * function, its relocations, its attributes and its symbols twice, native and Mercury; sections,
 * symbol tables, relocations and attributes all say which view they belong to. */
#ifndef WARPLD_FORMAT_ELF_VIEW_H
#define WARPLD_FORMAT_ELF_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/section_type.h"

enum code_view { VIEW_NATIVE, VIEW_MERCURY, VIEW_COUNT };

/* Rules of the format that a file can break; elf_rules.def has their names and texts. */
enum elf_rule {
    ELF_RULE_NONE,
#define ELF_RULE(name, slug, text) ELF_RULE_##name,
#include "format/elf_rules.def"
#undef ELF_RULE
    ELF_RULE_COUNT,
};

/* "section-outside-file": stable, for tests and tools. */
const char *elf_rule_slug(enum elf_rule rule);
/* "contents lie outside the file" */
const char *elf_rule_text(enum elf_rule rule);

/* One violation. */
struct elf_problem {
    enum elf_rule rule;
    uint32_t section;         /* index, 0 when the header or the section table is at fault */
    const char *section_name; /* NULL when unknown or unreadable */
    uint64_t index;           /* which entry of the section (symbol, relocation, record), or 0 */
    uint64_t value;           /* the offending value */
};

/* Receives each violation. Returns true to go on checking what can still be checked, false to stop
 * at the first one. */
typedef bool elf_problem_handler(void *context, const struct elf_problem *problem);

/* No memory space of a device is larger; sizes of sections and symbols are below. */
#define ELF_LARGEST_MEMORY (UINT64_C(1) << 48)

/* ptxas 13.0.88 takes alignments up to here and no further. */
#define ELF_LARGEST_ALIGNMENT (UINT64_C(1) << 31)

/* What a section is to a linker, from its type, flags and name. */
enum input_kind {
    INPUT_OTHER, /* tables and notes that are read, not copied */
    INPUT_TEXT,
    INPUT_CONSTANT_USER,  /* a bank of the whole program, or any other bank of a function */
    INPUT_CONSTANT_ENTRY, /* parameters and compiler-made constants of one function */
    INPUT_GLOBAL,
    INPUT_GLOBAL_INIT,
    INPUT_SHARED_ENTRY, /* .nv.shared.K */
    INPUT_SHARED_FILE,  /* .nv_debug.shared: variables that belong to no kernel yet */
    INPUT_SHARED_RESERVED,
    INPUT_LOCAL,
    INPUT_UNIFIED, /* unified variables, and the records of functions and variables */
    INPUT_INFO,
    INPUT_RELOCATIONS,
    INPUT_DEBUG,
    INPUT_CARRIED, /* some other memory with contents: no variables are in it */
    INPUT_NOTES,   /* of tools that are none of CUDA's */
    INPUT_UNKNOWN, /* of a type that nothing is known of, or that says nothing */
};

/* A link has 35 of these for each object of 15 KB, so they hold what passes ask for;
 * elf_view_section_header tells the rest. */
struct elf_section {
    const char *name;
    const uint8_t *data; /* NULL for sections without bytes in the file */
    uint64_t size;
    uint32_t flags; /* the lower half: all that have a meaning */
    uint32_t type;
    uint32_t info;
    uint32_t index;
    uint32_t entry_count;   /* of tables with entries of fixed size (symbols, relocations, pairs) */
    uint8_t view;           /* enum code_view */
    uint8_t kind;           /* enum input_kind */
    uint8_t alignment_bits; /* see elf_section_alignment */
    bool is_unmarked : 1;   /* SHF_INFO_LINK is missing in the file */
    /* Of the entries of a list of relocations or of attributes, seen when they were checked, so
     * that most passes need not read them: */
    bool has_late_zeros : 1;  /* one but the first has addend 0 */
    bool has_variables : 1;   /* one is about a symbol that is no function, section or untyped */
    bool has_descriptors : 1; /* one is of a type for descriptors of functions */
    bool has_fragments : 1;   /* of attributes: one is AT_ENTRY_FRAGMENTS */
};

/* An entry of the section table as it is in the file. */
struct elf_section_header {
    uint32_t name; /* offset */
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
    uint32_t info;
    uint64_t alignment;
    uint64_t entry_size;
};

/* elf_symbol.section for symbols that are in no section. */
#define ELF_SECTION_ABSOLUTE UINT32_C(0xfffffff1)
#define ELF_SECTION_COMMON   UINT32_C(0xfffffff2)

struct elf_symbol {
    const char *name;
    uint64_t value;
    uint64_t size;
    uint32_t section; /* index; 0 undefined; ELF_SECTION_* */
    uint8_t binding;  /* STB_* */
    uint8_t type;     /* STT_* */
    uint8_t other;    /* STO_*, STV_* */
};

struct elf_relocation {
    uint64_t offset;
    int64_t addend; /* 0 for REL */
    uint32_t type;
    uint32_t symbol;
};

struct elf_symbol_table {
    const uint8_t *entries;
    const char *strings; /* of the table's string section */
    uint64_t strings_size;
    uint32_t count;   /* with the null symbol; 0 when the file has no such table */
    uint32_t section; /* index of the table */
};

struct elf_view {
    struct bytes file;
    struct elf_section *sections; /* [0] is the null section */
    uint32_t section_count;
    uint32_t section_counts[VIEW_COUNT]; /* of each view */
    uint32_t kinds;                      /* of the sections, as bits by enum input_kind */
    /* Indices of those that a linker reads before it merges, in their order: what tells of calls,
     * prototypes, compatibility and single functions, and relocations that it looks ahead at. To
     * come across them among all takes longer than to read them. */
    uint32_t *early_sections;
    uint32_t early_section_count;
    struct elf_symbol_table symbols[VIEW_COUNT];
    /* Contents of .symtab_shndx and .nv.merc.symtab_shndx, or NULL. */
    const uint8_t *extended_indices[VIEW_COUNT];
    uint32_t extended_sections[VIEW_COUNT]; /* whose contents they are */
    uint32_t flags;                         /* e_flags */
    uint32_t version;                       /* e_version */
    uint16_t type;                          /* ET_* */
    uint16_t program_header_count;
    uint64_t program_header_offset;
    uint64_t section_header_offset;
    const uint8_t *section_table; /* as it is in the file; NULL: see elf_view_settle */
    uint8_t abi;                  /* ABIVERSION_CUDA or ABIVERSION_CUDA_12 */
    uint32_t names_section;       /* index of .shstrtab */
};

/* What the first bytes say a file is. */
enum elf_kind {
    ELF_KIND_NOT_ELF,
    ELF_KIND_FOREIGN,    /* an ELF for another machine */
    ELF_KIND_DEVICE,     /* a 64-bit device ELF of an ABI that we read */
    ELF_KIND_DEVICE_32,  /* a device ELF with 32-bit headers (EI_CLASS 1) */
    ELF_KIND_DEVICE_ABI, /* a device ELF of an unknown ABI */
};
enum elf_kind elf_identify(struct bytes file);

/* False for a file of another OSABI than CUDA 13's without the mark of 64-bit addresses. */
bool elf_tells_64bit(struct bytes file);

/* Opens and validates. Returns false when any rule is broken; every violation found goes to the
 * handler. The arena holds the decoded section headers. */
bool elf_view_open(struct elf_view *view, struct bytes file, struct arena *arena,
                   elf_problem_handler *handler, void *context);

/* The view leaves the file's bytes, which need not stay: contents, names and tables are copied into
 * the arena. From then on it tells no section headers. */
void elf_view_settle(struct elf_view *view, struct arena *arena);

/* An entry of a section table that is in the file, as was checked. */
static inline struct elf_section_header elf_section_header_at(const uint8_t *table, uint32_t index)
{
    const uint8_t *header = table + (uint64_t)index * ELF_SECTION_HEADER_SIZE;
    return (struct elf_section_header){
        .name = load_u32(header),
        .type = load_u32(header + 4),
        .flags = load_u64(header + 8),
        .address = load_u64(header + 16),
        .offset = load_u64(header + 24),
        .size = load_u64(header + 32),
        .link = load_u32(header + 40),
        .info = load_u32(header + 44),
        .alignment = load_u64(header + 48),
        .entry_size = load_u64(header + 56),
    };
}

/* index < view->early_section_count */
static inline const struct elf_section *elf_view_early_section(const struct elf_view *view,
                                                               uint32_t index)
{
    return &view->sections[view->early_sections[index]];
}

/* index < view->section_count; the view has not settled. */
static inline struct elf_section_header elf_view_section_header(const struct elf_view *view,
                                                                uint32_t index)
{
    return elf_section_header_at(view->section_table, index);
}

/* What means nothing and is copied all the same is read from the table. Zeros where nothing in it
 * is of that kind: see elf_view_settle. */
static inline struct elf_section_header elf_view_original_header(const struct elf_view *view,
                                                                 uint32_t index)
{
    return view->section_table ? elf_view_section_header(view, index)
                               : (struct elf_section_header){.name = 0};
}

/* With those that mean nothing, which nvlink 13.0.88 copies (bits 32, 40 and 63 of each section of
 * an object), and those that are missing in the file. */
static inline uint64_t elf_view_section_flags(const struct elf_view *view,
                                              const struct elf_section *section)
{
    return elf_view_original_header(view, section->index).flags | section->flags;
}

/* 0 or a power of two. */
static inline uint64_t elf_section_alignment(const struct elf_section *section)
{
    return section->alignment_bits ? UINT64_C(1) << (section->alignment_bits - 1) : 0;
}

/* Whether some section is of the kind. */
static inline bool elf_view_has(const struct elf_view *view, enum input_kind kind)
{
    return view->kinds >> kind & 1;
}

/* ABIVERSION_CUDA or ABIVERSION_CUDA_12. */
static inline unsigned elf_view_abi(const struct elf_view *view)
{
    return view->abi;
}

/* nvlink 13.0.88 reads 16 bits: any in the upper half, and it finds another target (patched
 * objects).
 */
static inline unsigned elf_view_sm(const struct elf_view *view)
{
    bool is_abi_7 = elf_view_abi(view) == ABIVERSION_CUDA_12;
    return is_abi_7 ? view->flags & 0xff : view->flags >> 8 & 0xffff;
}

/* Of ABI version 7 the bits are the SM number's; it knows no Mercury code. */
static inline bool elf_view_has_mercury_code(const struct elf_view *view)
{
    return elf_view_abi(view) != ABIVERSION_CUDA_12 && view->flags & EF_MERCURY_CODE;
}

/* nvlink 13.0.88 writes SHN_XINDEX for sections from 0xff00 on, with two exceptions whose number it
 * stores as it is: section 0xfff2 (native links of 69,012 sections, where the extended word of such
 * a symbol holds a left-over), and section 0xff00 when it is a .nv.constant0 (Mercury links of
 * 115,018 sections). Such symbols were of type SECTION and FUNC, which are never common. */
static inline bool elf_view_is_direct_index(const struct elf_view *view, uint16_t number,
                                            uint8_t type)
{
    return number != SHN_ABS && number < view->section_count &&
           (number < SHN_LORESERVE || type == STT_SECTION || type == STT_FUNC);
}

/* The extended words of symbols that do not need them mean nothing: nvlink leaves the numbers there
 * under which it created the sections. */
static inline uint32_t elf_view_symbol_section(const struct elf_view *view, enum code_view which,
                                               uint32_t index, uint16_t number, uint8_t type)
{
    if (number == SHN_XINDEX && view->extended_indices[which])
        return load_u32(view->extended_indices[which] + 4 * (uint64_t)index);
    if (elf_view_is_direct_index(view, number, type))
        return number;
    if (number == SHN_COMMON)
        return ELF_SECTION_COMMON;
    return number == SHN_ABS ? ELF_SECTION_ABSOLUTE : number;
}

/* index < view->symbols[which].count */
static inline struct elf_symbol elf_view_symbol(const struct elf_view *view, enum code_view which,
                                                uint32_t index)
{
    const struct elf_symbol_table *table = &view->symbols[which];
    const uint8_t *entry = table->entries + (uint64_t)index * ELF_SYMBOL_SIZE;
    return (struct elf_symbol){
        .name = table->strings + load_u32(entry),
        .binding = entry[4] >> 4,
        .type = entry[4] & 15,
        .other = entry[5],
        .section = elf_view_symbol_section(view, which, index, load_u16(entry + 6), entry[4] & 15),
        .value = load_u64(entry + 8),
        .size = load_u64(entry + 16),
    };
}

/* STT_* */
static inline uint8_t elf_view_symbol_type(const struct elf_view *view, enum code_view which,
                                           uint32_t index)
{
    return view->symbols[which].entries[(uint64_t)index * ELF_SYMBOL_SIZE + 4] & 15;
}

/* index < section->entry_count; section is of a relocation type of either view. */
static inline struct elf_relocation elf_section_relocation(const struct elf_section *section,
                                                           uint32_t index)
{
    bool has_addends = section->type != SHT_REL;
    uint64_t entry_size = has_addends ? ELF_RELA_SIZE : ELF_REL_SIZE;
    const uint8_t *entry = section->data + index * entry_size;
    return (struct elf_relocation){
        .offset = load_u64(entry),
        .type = load_u32(entry + 8),
        .symbol = load_u32(entry + 12),
        .addend = has_addends ? (int64_t)load_u64(entry + 16) : 0,
    };
}

/* Of a section of notes: whether they are those that CUDA's tools know by a flag. Others are
 * carried along. */
static inline bool elf_section_is_cuda_note(const struct elf_section *section)
{
    return section->flags & (SHF_CUINFO_NOTE | SHF_TKINFO_NOTE);
}

static inline bool elf_section_is_relocation(const struct elf_section *section)
{
    return section_form_is_relocations(section_type_form(section->type));
}

static inline bool elf_section_has_addends(const struct elf_section *section)
{
    return section_type_form(section->type) == FORM_RELA;
}

/* Machine code of either view. */
static inline bool elf_section_is_code(const struct elf_section *section)
{
    if (section->type == SHT_PROGBITS)
        return section->flags & SHF_EXECINSTR;
    return section_type_form(section->type) == FORM_CODE;
}

/* Whether the section is code of the unified function table, or of one slot of it; the view has not
 * settled. */
bool elf_view_is_slots(const struct elf_view *view, const struct elf_section *section);

/* What the offsets of relocations for a section count: its bytes, but of Mercury code the expanded
 * form. */
uint64_t elf_view_relocatable_size(const struct elf_view *view, const struct elf_section *target);

/* A pair of words of .nv.callgraph or .nv.prototype; index < section->entry_count. */
struct elf_pair {
    uint32_t first;
    int32_t second; /* heading, symbol index or offset in the symbol table's strings */
};
static inline struct elf_pair elf_section_pair(const struct elf_section *section, uint32_t index)
{
    const uint8_t *entry = section->data + 8 * (uint64_t)index;
    return (struct elf_pair){load_u32(entry), (int32_t)load_u32(entry + 4)};
}

/* A function in the code of a kernel, of an extensible whole program. */
static inline bool elf_view_is_inner(const struct elf_view *view, const struct elf_symbol *symbol)
{
    return view->type == ET_WHOLE_PROGRAM && symbol->type == STT_FUNC &&
           symbol->binding == STB_LOCAL && symbol->value;
}

/* A texture, sampler or surface that is a parameter of a kernel (of PTX; CUDA C++ has none): a
 * local symbol at the beginning of its code (ptxas 13.0.88). */
static inline bool elf_view_is_texture_parameter(const struct elf_view *view,
                                                 const struct elf_symbol *symbol)
{
    return symbol->type >= STT_CUDA_TEXTURE && symbol->type <= STT_CUDA_SURFACE &&
           symbol->binding == STB_LOCAL && symbol->section < view->section_count &&
           elf_section_is_code(&view->sections[symbol->section]) && !symbol->value && !symbol->size;
}

/* A string of the view's symbol strings; NULL when offset lies outside. */
const char *elf_view_string(const struct elf_view *view, enum code_view which, uint64_t offset);

#endif
