/* A validated, read-only view of one device ELF.
 *
 * elf_view_open checks every header, offset, index, size, string and count against the bytes, once.
 * All accessors of an opened view accept any index below the view's count and read nothing outside
 * the file. Only the decoded section headers are copied; names and data point into the file's
 * bytes, which must outlive the view.
 *
 * A file for sm_100 and later contains each function, its relocations, its attributes and its
 * symbols twice: in native and in Mercury form. Each section, symbol table, relocation and
 * attribute belongs to one of these two views of the code. */
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
#define ELF_RULE(name, slug, text)      ELF_RULE_##name,
#define ELF_EXCEPTION(name, slug, text) ELF_RULE_##name,
#include "format/elf_rules.def"
#undef ELF_EXCEPTION
#undef ELF_RULE
    ELF_RULE_COUNT,
};

/* A stable name for tests and tools, e.g. "section-outside". */
const char *elf_rule_slug(enum elf_rule rule);
/* What is wrong, e.g. "contents lie outside the file". */
const char *elf_rule_text(enum elf_rule rule);

/* Returns true if a file that breaks the rule can be opened, and linked with a warning. */
bool elf_rule_is_exception(enum elf_rule rule);

/* One violation. */
struct elf_problem {
    enum elf_rule rule;
    uint32_t section;         /* index; 0 if the header or the section table is at fault */
    const char *section_name; /* NULL if unknown or unreadable */
    uint64_t index;           /* number of the symbol, relocation or record in the section, or 0 */
    uint64_t value;           /* the offending value */
};

/* Receives each violation. Returns true to continue with the checks that are still possible, false
 * to stop. */
typedef bool elf_problem_handler(void *context, const struct elf_problem *problem);

/* Upper bound of a device's memory spaces. Sizes of sections and symbols must be smaller. */
#define ELF_LARGEST_MEMORY (UINT64_C(1) << 48)

/* The largest alignment that ptxas 13.0.88 accepts. */
#define ELF_LARGEST_ALIGNMENT (UINT64_C(1) << 31)

/* What a section means for a linker, by its type, flags and name. */
enum input_kind {
    INPUT_OTHER, /* tables and notes that are read, not copied */
    INPUT_TEXT,
    INPUT_CONSTANT_USER,  /* user constants, and a function's banks except 0 and 2 */
    INPUT_CONSTANT_ENTRY, /* parameters or compiler-made constants of one function */
    INPUT_GLOBAL,
    INPUT_GLOBAL_INIT,
    INPUT_SHARED_ENTRY, /* .nv.shared.K */
    INPUT_SHARED_FILE,  /* .nv_debug.shared: variables not yet assigned to a kernel */
    INPUT_SHARED_RESERVED,
    INPUT_LOCAL,
    INPUT_UNIFIED, /* unified variables, records of functions and variables, index files */
    INPUT_INFO,
    INPUT_RELOCATIONS,
    INPUT_DEBUG,
    INPUT_CARRIED, /* other memory with contents, without variables */
    INPUT_NOTES,   /* notes of other tools than CUDA's */
    INPUT_UNKNOWN, /* sections of an unknown type, or of one without a meaning */
};

/* A section. An object of 15 KB has 35 of these, so the structure has only the fields that passes
 * need; elf_view_section_header returns the others. */
struct elf_section {
    const char *name;
    const uint8_t *data; /* NULL for sections without bytes in the file */
    uint64_t size;
    uint32_t flags; /* the lower half of sh_flags; flags in the upper half have no meaning */
    uint32_t type;
    uint32_t info;
    uint32_t index;
    uint32_t entry_count;   /* number of entries of a table (symbols, relocations, pairs), or 0 */
    uint8_t view;           /* enum code_view */
    uint8_t kind;           /* enum input_kind */
    uint8_t alignment_bits; /* see elf_section_alignment */
    bool is_unmarked : 1;   /* SHF_INFO_LINK is missing in the file */
    /* Properties of relocation or attribute lists, found when these were checked, so that most
     * passes need not read the entries: */
    bool has_late_zeros : 1;  /* a relocation other than the first has addend 0 */
    bool has_variables : 1;   /* a relocation's symbol has a type, and is neither a function nor a
                                 section */
    bool has_descriptors : 1; /* a relocation has a type for function descriptors */
    bool has_fragments : 1;   /* an attribute is AT_ENTRY_FRAGMENTS */
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

/* Values of elf_symbol.section for absolute and common symbols, which are in no section. */
#define ELF_SECTION_ABSOLUTE UINT32_C(0xfffffff1)
#define ELF_SECTION_COMMON   UINT32_C(0xfffffff2)

struct elf_symbol {
    const char *name;
    uint64_t value;
    uint64_t size;
    uint32_t section; /* index or ELF_SECTION_*; 0 if the symbol is undefined */
    uint8_t binding;  /* STB_* */
    uint8_t type;     /* STT_* */
    uint8_t other;    /* STO_*, STV_* */
};

/* ptxas 13.0.88 writes STT_CUDA_OBJECT for variables in relocatable files, and STT_OBJECT in
 * executable ones. */
static inline bool elf_symbol_is_variable(const struct elf_symbol *symbol)
{
    return symbol->type == STT_OBJECT || symbol->type == STT_CUDA_OBJECT;
}

struct elf_relocation {
    uint64_t offset;
    int64_t addend; /* 0 for REL */
    uint32_t type;
    uint32_t symbol;
};

struct elf_symbol_table {
    const uint8_t *entries;
    const char *strings; /* contents of the string table that the symbol table links to */
    uint64_t strings_size;
    uint32_t count;   /* number of symbols, including the null symbol; 0 if there is no table */
    uint32_t section; /* section index of the table */
};

struct elf_view {
    struct bytes file;
    struct elf_section *sections; /* [0] is the null section */
    uint32_t section_count;
    uint32_t section_counts[VIEW_COUNT]; /* number of sections in each view */
    uint32_t kinds;                      /* kinds of all sections, as bits by enum input_kind */
    /* Indices, in order, of the sections that a linker reads before it merges: call graph,
     * prototypes, compatibility, data about functions, attribute lists with AT_ENTRY_FRAGMENTS, and
     * relocations that it needs early. This list saves time: finding these sections among all
     * sections would take longer than reading them. */
    uint32_t *early_sections;
    uint32_t early_section_count;
    struct elf_symbol_table symbols[VIEW_COUNT];
    /* Contents of .symtab_shndx and .nv.merc.symtab_shndx, or NULL. */
    const uint8_t *extended_indices[VIEW_COUNT];
    uint32_t extended_sections[VIEW_COUNT]; /* indices of these sections */
    uint32_t flags;                         /* e_flags */
    uint32_t version;                       /* e_version */
    uint16_t type;                          /* ET_* */
    uint16_t program_header_count;
    uint64_t program_header_offset;
    uint64_t section_header_offset;
    const uint8_t *section_table; /* headers as in the file; may be NULL after elf_view_settle */
    uint8_t abi;                  /* ABIVERSION_CUDA or ABIVERSION_CUDA_12 */
    uint32_t names_section;       /* index of .shstrtab */
};

/* The kind of a file, by its first bytes. */
enum elf_kind {
    ELF_KIND_NOT_ELF,
    ELF_KIND_FOREIGN,    /* an ELF for another machine */
    ELF_KIND_DEVICE,     /* a 64-bit device ELF of a supported ABI */
    ELF_KIND_DEVICE_32,  /* a device ELF with 32-bit headers (EI_CLASS 1) */
    ELF_KIND_DEVICE_ABI, /* a device ELF of an unknown ABI */
};
enum elf_kind elf_identify(struct bytes file);

/* Returns true if the file has the flag EF_12_64BIT_ADDRESS, or the OSABI of CUDA 13, whose files
 * have no such flag. Also returns true for a file that is shorter than an ELF header. */
bool elf_is_marked_64bit(struct bytes file);

/* Handlers that report nothing, for readers that skip invalid files. The first stops at the first
 * violation, the second at the first violation that is not an exception. */
bool elf_stop_at_problem(void *context, const struct elf_problem *problem);
bool elf_stop_at_damage(void *context, const struct elf_problem *problem);

/* Opens and validates a file. Passes every violation to the handler. Returns false if there is a
 * violation that is not an exception, or if the handler stopped. The decoded section headers are in
 * the arena.
 *
 * The function leaves two groups of rules to elf_view_check_strictly. In executables, it skips the
 * rules about facts that only a link of the file would need. In all files, it skips most of the
 * rules that compare the name of a section with the name of its owner. */
bool elf_view_open(struct elf_view *view, struct bytes file, struct arena *arena,
                   elf_problem_handler *handler, void *context);

/* Applies to an opened file the rules that elf_view_open does not check. */
void elf_view_check_strictly(struct elf_view *view, struct arena *arena,
                             elf_problem_handler *handler, void *context);

/* Copies contents, names and tables into the arena, so that the view no longer needs the file's
 * bytes. Afterwards elf_view_section_header must not be called. */
void elf_view_settle(struct elf_view *view, struct arena *arena);

/* Returns true if elf_view_settle will keep the view's section table. It does so if a section
 * header has fields without a meaning; see elf_view_original_header. Must not be called after
 * elf_view_settle. */
bool elf_view_needs_table(const struct elf_view *view);

/* Zeros that elf_view_settle uses as the contents of parameter banks. The array is large enough for
 * the parameters of most kernels and what precedes them in the bank. Larger banks are copied. */
enum { ELF_ZEROS_SIZE = 0x1200 };
extern const uint8_t ELF_ZEROS[ELF_ZEROS_SIZE];

/* Returns true if the section is a parameter bank that contains only zeros. Requires: the section
 * has bytes in the file. */
bool elf_section_is_unset_bank(const struct elf_section *section);

/* An entry of a section table, which must have been checked to lie in the file. */
static inline struct elf_section_header elf_section_header_at(const uint8_t *table, uint32_t index)
{
    const uint8_t *header = table + (uint64_t)index * ELF_SECTION_HEADER_SIZE;
    return (struct elf_section_header){
        .name = load_u32(header + SH_NAME),
        .type = load_u32(header + SH_TYPE),
        .flags = load_u64(header + SH_FLAGS),
        .address = load_u64(header + SH_ADDR),
        .offset = load_u64(header + SH_OFFSET),
        .size = load_u64(header + SH_SIZE),
        .link = load_u32(header + SH_LINK),
        .info = load_u32(header + SH_INFO),
        .alignment = load_u64(header + SH_ADDRALIGN),
        .entry_size = load_u64(header + SH_ENTSIZE),
    };
}

/* index < view->early_section_count */
static inline const struct elf_section *elf_view_early_section(const struct elf_view *view,
                                                               uint32_t index)
{
    return &view->sections[view->early_sections[index]];
}

/* Requires index < view->section_count. Must not be called after elf_view_settle. */
static inline struct elf_section_header elf_view_section_header(const struct elf_view *view,
                                                                uint32_t index)
{
    return elf_section_header_at(view->section_table, index);
}

/* The header of a section as it was in the file. Fields without a meaning are copied from it to
 * outputs. All zeros if the view has settled and no section has such fields. */
static inline struct elf_section_header elf_view_original_header(const struct elf_view *view,
                                                                 uint32_t index)
{
    return view->section_table ? elf_view_section_header(view, index)
                               : (struct elf_section_header){.name = 0};
}

/* The section's flags. They include flags without a meaning, which nvlink 13.0.88 copies (bits 32,
 * 40 and 63 of each section of an object), and an SHF_INFO_LINK that is missing in the file. */
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

/* Returns true if any section is of the kind. */
static inline bool elf_view_has(const struct elf_view *view, enum input_kind kind)
{
    return view->kinds >> kind & 1;
}

/* ABIVERSION_CUDA or ABIVERSION_CUDA_12. */
static inline unsigned elf_view_abi(const struct elf_view *view)
{
    return view->abi;
}

/* The SM number. Numbers need 8 bits, but nvlink 13.0.88 reads 16: if any of the upper eight is
 * set, it reports that the object is for another target (patched objects). */
static inline unsigned elf_view_sm(const struct elf_view *view)
{
    bool is_abi_7 = elf_view_abi(view) == ABIVERSION_CUDA_12;
    return is_abi_7 ? view->flags & 0xff : view->flags >> 8 & 0xffff;
}

/* ABI version 7 has no Mercury code; bits 7:0 of its e_flags are the SM number. */
static inline bool elf_view_has_mercury_code(const struct elf_view *view)
{
    return elf_view_abi(view) != ABIVERSION_CUDA_12 && view->flags & EF_MERCURY_CODE;
}

/* Returns true if the 16-bit number in a symbol is its section's index. nvlink 13.0.88 writes
 * SHN_XINDEX for sections from 0xff00 on, except for two whose index it stores directly. One is
 * section 0xfff2 (native links with 69,012 sections, where the word of such a symbol in
 * .symtab_shndx has a stale value). The other is section 0xff00 if it is a .nv.constant0 (Mercury
 * links with 115,018 sections). 0xfff2 is also SHN_COMMON, but the symbols with direct indices were
 * of type SECTION and FUNC, and such symbols are never common. */
static inline bool elf_view_is_direct_index(const struct elf_view *view, uint16_t number,
                                            uint8_t type)
{
    return number != SHN_ABS && number < view->section_count &&
           (number < SHN_LORESERVE || type == STT_SECTION || type == STT_FUNC);
}

/* The index of a symbol's section. The symbol's word in .symtab_shndx is used only if the symbol
 * has SHN_XINDEX. For other symbols nvlink leaves an old number in the word: the one that the
 * section had when nvlink created it. */
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

/* Requires index < section->entry_count, and a section of relocations in either view. */
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

/* Returns true for a section of notes whose flags say that CUDA's tools wrote it. Sections with
 * other notes are copied. */
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

/* Returns true for machine code of either view. */
static inline bool elf_section_is_code(const struct elf_section *section)
{
    if (section->type == SHT_PROGBITS)
        return section->flags & SHF_EXECINSTR;
    return section_type_form(section->type) == FORM_CODE;
}

/* Returns true if the section is the code of the unified function table or of one of its slots.
 * Must not be called after elf_view_settle. */
bool elf_view_is_slots(const struct elf_view *view, const struct elf_section *section);

/* The size that the offsets of a section's relocations must be below. It is the section's size, or
 * for Mercury code the size of its expanded form. */
uint64_t elf_view_relocatable_size(const struct elf_view *view, const struct elf_section *target);

/* A pair of words of .nv.callgraph or .nv.prototype. Requires index < section->entry_count. */
struct elf_pair {
    uint32_t first;
    int32_t second; /* heading, symbol index, or offset in the strings of the symbol table */
};
static inline struct elf_pair elf_section_pair(const struct elf_section *section, uint32_t index)
{
    const uint8_t *entry = section->data + 8 * (uint64_t)index;
    return (struct elf_pair){load_u32(entry), (int32_t)load_u32(entry + 4)};
}

/* Returns true for a function inside the code of a kernel, in an extensible whole program. */
static inline bool elf_view_is_inner(const struct elf_view *view, const struct elf_symbol *symbol)
{
    return view->type == ET_WHOLE_PROGRAM && symbol->type == STT_FUNC &&
           symbol->binding == STB_LOCAL && symbol->value;
}

/* Returns true for a texture, sampler or surface that is a parameter of a kernel. PTX has such
 * parameters, CUDA C++ does not. ptxas 13.0.88 writes a local symbol at the start of the kernel's
 * code for each of them. */
static inline bool elf_view_is_texture_parameter(const struct elf_view *view,
                                                 const struct elf_symbol *symbol)
{
    return symbol->type >= STT_CUDA_TEXTURE && symbol->type <= STT_CUDA_SURFACE &&
           symbol->binding == STB_LOCAL && symbol->section < view->section_count &&
           elf_section_is_code(&view->sections[symbol->section]) && !symbol->value && !symbol->size;
}

/* A string of the view's symbol table; NULL if the offset lies outside. */
const char *elf_view_string(const struct elf_view *view, enum code_view which, uint64_t offset);

#endif
