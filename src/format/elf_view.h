/* A validated, read-only view of one device ELF.
 *
 * elf_view_open checks every header, offset, index, size, string and count of the file once. After
 * that, accessors accept any index below the number of sections, symbols or entries, and read
 * nothing outside the file. The view copies only the section headers, in decoded form. Names and
 * data point to the file's bytes, which must outlive the view.
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

/* Returns the name of the rule for tests and tools, such as "section-outside". */
const char *elf_rule_slug(enum elf_rule rule);
/* Returns a text that says what is wrong, such as "contents lie outside the file". */
const char *elf_rule_text(enum elf_rule rule);

/* Returns true if files that break the rule can be opened, and can be linked with a warning. */
bool elf_rule_is_exception(enum elf_rule rule);

/* One violation of a rule. */
struct elf_problem {
    enum elf_rule rule;
    uint32_t section;         /* section index; 0 if the ELF header or section table is wrong */
    const char *section_name; /* NULL if there is no section or its name is unreadable */
    uint64_t index;           /* index of the symbol, relocation or record in the section, or 0 */
    uint64_t value;           /* the value in the file that breaks the rule */
};

/* Receives each violation. Returns true if the checks continue, false if they stop. */
typedef bool elf_problem_handler(void *context, const struct elf_problem *problem);

/* Limit in bytes. Sizes of sections and symbols must be smaller, because no memory space of a
 * device is that large. */
#define ELF_LARGEST_MEMORY (UINT64_C(1) << 48)

/* The largest alignment that ptxas 13.0.88 accepts. */
#define ELF_LARGEST_ALIGNMENT (UINT64_C(1) << 31)

/* The kind of a section decides how a linker treats it. It depends on the type, flags and name. */
enum input_kind {
    INPUT_OTHER, /* tables and notes that the linker reads but does not copy */
    INPUT_TEXT,
    INPUT_CONSTANT_USER,  /* user constants, and banks other than 0 and 2 of a function */
    INPUT_CONSTANT_ENTRY, /* parameters or compiler-made constants of one function */
    INPUT_GLOBAL,
    INPUT_GLOBAL_INIT,
    INPUT_SHARED_ENTRY, /* .nv.shared.K: shared memory of kernel K */
    INPUT_SHARED_FILE,  /* .nv_debug.shared: shared variables not yet assigned to a kernel */
    INPUT_SHARED_RESERVED,
    INPUT_LOCAL,
    INPUT_UNIFIED, /* unified variables, .nv.uft.entry, .nv.udt.entry, index files */
    INPUT_INFO,
    INPUT_RELOCATIONS,
    INPUT_DEBUG,
    INPUT_CARRIED, /* other PROGBITS sections with SHF_ALLOC, which the linker copies */
    INPUT_NOTES,   /* notes of tools other than CUDA's */
    INPUT_UNKNOWN, /* sections of unknown types, and of types that say nothing (NULL, NOBITS) */
};

/* A section. The structure has only the fields that passes need, because an object of only 15 KB
 * has 35 sections. elf_view_section_header returns the other fields of a section header. */
struct elf_section {
    const char *name;
    const uint8_t *data; /* contents; NULL if the section has none in the file */
    uint64_t size;
    uint32_t flags; /* the lower 32 bits of sh_flags; the upper 32 bits have no meaning */
    uint32_t type;
    uint32_t info;
    uint32_t index;
    uint32_t entry_count; /* number of symbols, relocations, ... in a table; 0 for other sections */
    uint8_t view;         /* enum code_view */
    uint8_t kind;         /* enum input_kind */
    uint8_t alignment_bits; /* see elf_section_alignment */
    bool is_unmarked : 1;   /* `flags` has SHF_INFO_LINK, but the flag is missing in the file */
    /* The next four fields describe the entries of a relocation or attribute section. The checks
     * set them, so that most passes need not read the entries. */
    bool has_late_zeros : 1; /* a relocation other than the first has addend 0 */
    bool has_variables : 1;  /* a relocation's symbol has a type other than NOTYPE, FUNC, SECTION */
    bool has_descriptors : 1; /* a relocation has a type of class RELOCATION_DESCRIPTOR */
    bool has_fragments : 1;   /* there is an AT_ENTRY_FRAGMENTS attribute */
};

/* An entry of the section table as it is in the file. */
struct elf_section_header {
    uint32_t name; /* offset in the string table of section names */
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
    uint32_t section; /* section index or ELF_SECTION_*; 0 if the symbol is undefined */
    uint8_t binding;  /* STB_* */
    uint8_t type;     /* STT_* */
    uint8_t other;    /* STO_*, STV_* */
};

/* Returns true if the symbol is a variable. Variables have the type STT_CUDA_OBJECT in relocatable
 * files of ptxas 13.0.88, and STT_OBJECT in executables. */
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
    uint32_t section; /* section index of the symbol table */
};

struct elf_view {
    struct bytes file;
    struct elf_section *sections; /* [0] is the null section */
    uint32_t section_count;
    uint32_t section_counts[VIEW_COUNT]; /* number of sections in each view */
    uint32_t kinds;                      /* bit 1 << K is set if a section has kind K */
    /* Indices, in ascending order, of the sections that a linker reads before it merges sections:
     *   - call graph, prototypes, .nv.compat, data about functions
     *   - attribute sections with has_fragments
     *   - relocation sections with has_variables or has_descriptors
     * The list saves time: searching all sections for these would take longer than reading them. */
    uint32_t *early_sections;
    uint32_t early_section_count;
    struct elf_symbol_table symbols[VIEW_COUNT];
    /* Contents of .symtab_shndx and of .nv.merc.symtab_shndx; NULL if the section is missing. */
    const uint8_t *extended_indices[VIEW_COUNT];
    uint32_t extended_sections[VIEW_COUNT]; /* section indices of these two sections */
    uint32_t flags;                         /* e_flags */
    uint32_t version;                       /* e_version */
    uint16_t type;                          /* ET_* */
    uint16_t program_header_count;
    uint64_t program_header_offset;
    uint64_t section_header_offset;
    const uint8_t *section_table; /* encoded section headers; may be NULL after elf_view_settle */
    uint8_t abi;                  /* ABIVERSION_CUDA or ABIVERSION_CUDA_12 */
    uint32_t names_section;       /* index of .shstrtab */
};

/* The kind of a file, which elf_identify finds from its first bytes. */
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

/* Handlers that report nothing, for readers that skip invalid files. elf_stop_at_problem stops the
 * checks at the first violation of any rule. elf_stop_at_damage stops them at the first violation
 * that is damage: it ignores the rules that format/elf_rules.def defines with ELF_EXCEPTION. */
bool elf_stop_at_problem(void *context, const struct elf_problem *problem);
bool elf_stop_at_damage(void *context, const struct elf_problem *problem);

/* Opens and validates a file. Passes every violation to the handler. Returns false if the handler
 * stops the checks, or if there is a violation of a rule that is not an exception. Allocates the
 * decoded section headers in the arena.
 *
 * The function skips two groups of rules, which elf_view_check_strictly checks:
 *   - in executables, the rules that matter only for files that are linked
 *   - in all files, most comparisons of a section's name with the name of its owner */
bool elf_view_open(struct elf_view *view, struct bytes file, struct arena *arena,
                   elf_problem_handler *handler, void *context);

/* Applies the rules that elf_view_open skips. Requires: elf_view_open returned true. */
void elf_view_check_strictly(struct elf_view *view, struct arena *arena,
                             elf_problem_handler *handler, void *context);

/* Copies contents, names and tables into the arena. After that, the view does not need the file's
 * bytes, but elf_view_section_header must not be called. */
void elf_view_settle(struct elf_view *view, struct arena *arena);

/* Returns true if elf_view_settle will copy the section table. It does so only if a section header
 * has fields without a meaning; see elf_view_original_header. Must not be called after
 * elf_view_settle. */
bool elf_view_needs_table(const struct elf_view *view);

/* Zeros. elf_view_settle uses them as the contents of parameter banks, instead of copying each
 * bank. Most kernels' parameters, and the bytes that precede them in the bank, fit into this size.
 * Larger banks are copied. */
enum { ELF_ZEROS_SIZE = 0x1200 };
extern const uint8_t ELF_ZEROS[ELF_ZEROS_SIZE];

/* Returns true if the section is a parameter bank, or a bank of compiler-made constants, and its
 * contents are equal to the first bytes of ELF_ZEROS. Requires: section->data is not NULL. */
bool elf_section_is_unset_bank(const struct elf_section *section);

/* Decodes an entry of a section table. Requires: the entry is inside the file. */
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

/* Returns the number of sections of a 64-bit file with this ELF header. If the number does not fit
 * in 16 bits, the null section has it (ELF specification, "Sections"). It is not checked. */
static inline uint64_t elf_section_count(const uint8_t *file_header,
                                         const struct elf_section_header *null_section)
{
    uint64_t count = load_u16(file_header + E_SHNUM);
    return count ? count : null_section->size;
}

/* Returns the index of the section with the section names, which can be in the null section, too.
 * The index is not checked. */
static inline uint32_t elf_names_index(const uint8_t *file_header,
                                       const struct elf_section_header *null_section)
{
    uint32_t index = load_u16(file_header + E_SHSTRNDX);
    return index == SHN_XINDEX ? null_section->link : index;
}

/* Returns a section of view->early_sections. Requires: index < view->early_section_count. */
static inline const struct elf_section *elf_view_early_section(const struct elf_view *view,
                                                               uint32_t index)
{
    return &view->sections[view->early_sections[index]];
}

/* Decodes a section header. Requires: index < view->section_count. Must not be called after
 * elf_view_settle. */
static inline struct elf_section_header elf_view_section_header(const struct elf_view *view,
                                                                uint32_t index)
{
    return elf_section_header_at(view->section_table, index);
}

/* Returns a section header as it is in the file. A link copies the fields that have no meaning for
 * the section, such as sh_link of a section of variables, to the output. After elf_view_settle, all
 * fields are 0 unless elf_view_needs_table was true. */
static inline struct elf_section_header elf_view_original_header(const struct elf_view *view,
                                                                 uint32_t index)
{
    return view->section_table ? elf_view_section_header(view, index)
                               : (struct elf_section_header){.name = 0};
}

/* Returns the section's flags. They include SHF_INFO_LINK even if it is missing in the file. They
 * also include the upper 32 bits, which have no meaning but which nvlink 13.0.88 copies (tried with
 * bits 32, 40 and 63 of each section of an object). */
static inline uint64_t elf_view_section_flags(const struct elf_view *view,
                                              const struct elf_section *section)
{
    return elf_view_original_header(view, section->index).flags | section->flags;
}

/* Returns sh_addralign: 0 or a power of two. */
static inline uint64_t elf_section_alignment(const struct elf_section *section)
{
    return section->alignment_bits ? UINT64_C(1) << (section->alignment_bits - 1) : 0;
}

/* Returns true if the view has a section of this kind. */
static inline bool elf_view_has(const struct elf_view *view, enum input_kind kind)
{
    return view->kinds >> kind & 1;
}

/* Returns the ABI version: ABIVERSION_CUDA or ABIVERSION_CUDA_12. */
static inline unsigned elf_view_abi(const struct elf_view *view)
{
    return view->abi;
}

/* Returns the SM number. In ABI version 8 it has 16 bits, although all SM numbers fit into 8 bits:
 * nvlink 13.0.88 reports a wrong target if any of the upper 8 bits is set (patched objects). */
static inline unsigned elf_view_sm(const struct elf_view *view)
{
    bool is_abi_7 = elf_view_abi(view) == ABIVERSION_CUDA_12;
    return is_abi_7 ? view->flags & 0xff : view->flags >> 8 & 0xffff;
}

/* Returns true if the file has Mercury code. In files of ABI version 7, which never have it, the
 * bit EF_MERCURY_CODE is part of the SM number. */
static inline bool elf_view_has_mercury_code(const struct elf_view *view)
{
    return elf_view_abi(view) != ABIVERSION_CUDA_12 && view->flags & EF_MERCURY_CODE;
}

/* Returns true if `number`, the st_shndx of a symbol, is the index of its section. This holds for
 * numbers below SHN_LORESERVE. For larger indices, ELF requires SHN_XINDEX, but nvlink 13.0.88
 * writes two of them directly:
 *   0xfff2  in native links with 69,012 sections; .symtab_shndx has a wrong index for such a symbol
 *   0xff00  if the section is a .nv.constant0, in Mercury links with 115,018 sections
 * 0xfff2 is also SHN_COMMON. The type of the symbol decides, because nvlink wrote direct indices
 * only in symbols of the types SECTION and FUNC, which are never common. */
static inline bool elf_view_is_direct_index(const struct elf_view *view, uint16_t number,
                                            uint8_t type)
{
    return number != SHN_ABS && number < view->section_count &&
           (number < SHN_LORESERVE || type == STT_SECTION || type == STT_FUNC);
}

/* Returns the index of a symbol's section, or ELF_SECTION_*. `number` is the symbol's st_shndx. The
 * symbol's entry in .symtab_shndx is used only if st_shndx is SHN_XINDEX. In the entries of other
 * symbols nvlink leaves the index that the section had when nvlink created it. */
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

/* Decodes a symbol. Requires: index < view->symbols[which].count. */
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

/* Returns the type of a symbol (STT_*). */
static inline uint8_t elf_view_symbol_type(const struct elf_view *view, enum code_view which,
                                           uint32_t index)
{
    return view->symbols[which].entries[(uint64_t)index * ELF_SYMBOL_SIZE + 4] & 15;
}

/* Decodes a relocation. Requires: the section contains relocations, in either view, and
 * index < section->entry_count. */
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

/* Returns true if the flags of a note section show that it contains notes of CUDA's tools. The
 * linker reads these notes. It copies sections with other notes. */
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

/* Returns true for a code section of either view. */
static inline bool elf_section_is_code(const struct elf_section *section)
{
    if (section->type == SHT_PROGBITS)
        return section->flags & SHF_EXECINSTR;
    return section_type_form(section->type) == FORM_CODE;
}

/* Returns true if the section is the code of the unified function table or of one of its slots.
 * Must not be called after elf_view_settle. */
bool elf_view_is_slots(const struct elf_view *view, const struct elf_section *section);

/* Returns the limit for r_offset of relocations that apply to `target`: the section's size, but for
 * Mercury code the size of the expanded code. */
uint64_t elf_view_relocatable_size(const struct elf_view *view, const struct elf_section *target);

/* An entry of .nv.callgraph or .nv.prototype. */
struct elf_pair {
    uint32_t first; /* symbol index; 0 if `second` is a heading */
    int32_t second; /* heading, symbol index, or offset in the strings of the symbol table */
};
/* Requires index < section->entry_count. */
static inline struct elf_pair elf_section_pair(const struct elf_section *section, uint32_t index)
{
    const uint8_t *entry = section->data + 8 * (uint64_t)index;
    return (struct elf_pair){load_u32(entry), (int32_t)load_u32(entry + 4)};
}

/* Returns true for a function whose code is a part of a kernel's code. Only extensible whole
 * programs (ET_WHOLE_PROGRAM) have such functions. */
static inline bool elf_view_is_inner(const struct elf_view *view, const struct elf_symbol *symbol)
{
    return view->type == ET_WHOLE_PROGRAM && symbol->type == STT_FUNC &&
           symbol->binding == STB_LOCAL && symbol->value;
}

/* Returns true for a texture, sampler or surface that is a parameter of a kernel. Kernels in PTX
 * can have such parameters, kernels in CUDA C++ cannot. For each one, ptxas 13.0.88 writes a local
 * symbol whose address is the start of the kernel's code. */
static inline bool elf_view_is_texture_parameter(const struct elf_view *view,
                                                 const struct elf_symbol *symbol)
{
    return symbol->type >= STT_CUDA_TEXTURE && symbol->type <= STT_CUDA_SURFACE &&
           symbol->binding == STB_LOCAL && symbol->section < view->section_count &&
           elf_section_is_code(&view->sections[symbol->section]) && !symbol->value && !symbol->size;
}

/* Returns the string at an offset in the string table of the view's symbols; NULL if the offset is
 * outside this table. */
const char *elf_view_string(const struct elf_view *view, enum code_view which, uint64_t offset);

#endif
