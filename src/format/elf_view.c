/* Opens device ELFs, and implements the accessors of views that are not inline; see elf_view.h. */
#include "format/elf_view.h"

#include <string.h>

#include "format/elf_check.h"

static const struct {
    const char *slug;
    const char *text;
    bool is_exception;
} RULES[] = {
    [ELF_RULE_NONE] = {"none", "no rule is broken", false},
#define ELF_RULE(name, slug, text)      [ELF_RULE_##name] = {slug, text, false},
#define ELF_EXCEPTION(name, slug, text) [ELF_RULE_##name] = {slug, text, true},
#include "format/elf_rules.def"
#undef ELF_EXCEPTION
#undef ELF_RULE
};

const char *elf_rule_slug(enum elf_rule rule)
{
    return RULES[rule].slug;
}

const char *elf_rule_text(enum elf_rule rule)
{
    return RULES[rule].text;
}

bool elf_rule_is_exception(enum elf_rule rule)
{
    return RULES[rule].is_exception;
}

static bool has_magic(struct bytes file)
{
    return file.size >= 4 && !memcmp(file.data, "\177ELF", 4);
}

static bool has_known_abi(struct bytes file)
{
    if (file.data[EI_OSABI] == ELFOSABI_CUDA)
        return file.data[EI_ABIVERSION] == ABIVERSION_CUDA;
    if (file.data[EI_OSABI] != ELFOSABI_CUDA_12 || file.data[EI_ABIVERSION] != ABIVERSION_CUDA_12)
        return false;
    return file.size < ELF_HEADER_SIZE || !(load_u32(file.data + E_FLAGS) & EF_12_UNKNOWN);
}

enum elf_kind elf_identify(struct bytes file)
{
    if (!has_magic(file) || file.size < E_MACHINE + 2)
        return ELF_KIND_NOT_ELF;
    if (file.data[EI_DATA] != ELFDATA2LSB || load_u16(file.data + E_MACHINE) != EM_CUDA)
        return ELF_KIND_FOREIGN;
    if (file.data[EI_CLASS] == ELFCLASS32)
        return ELF_KIND_DEVICE_32;
    return has_known_abi(file) ? ELF_KIND_DEVICE : ELF_KIND_DEVICE_ABI;
}

bool elf_stop_at_problem(void *context, const struct elf_problem *problem)
{
    (void)context;
    (void)problem;
    return false;
}

bool elf_stop_at_damage(void *context, const struct elf_problem *problem)
{
    (void)context;
    return elf_rule_is_exception(problem->rule);
}

bool elf_is_marked_64bit(struct bytes file)
{
    return file.size < ELF_HEADER_SIZE || file.data[EI_OSABI] == ELFOSABI_CUDA ||
           load_u32(file.data + E_FLAGS) & EF_12_64BIT_ADDRESS;
}

/* ---------------------------------------------------------------------------------------------- */
/* The ELF header */

static enum elf_rule identification_rule(struct bytes file)
{
    if (!has_magic(file))
        return ELF_RULE_NOT_ELF;
    if (file.size < ELF_HEADER_SIZE)
        return ELF_RULE_HEADER_TRUNCATED;
    if (file.data[EI_CLASS] != ELFCLASS64)
        return ELF_RULE_CLASS;
    if (file.data[EI_DATA] != ELFDATA2LSB)
        return ELF_RULE_BYTE_ORDER;
    if (load_u16(file.data + E_MACHINE) != EM_CUDA)
        return ELF_RULE_MACHINE;
    return has_known_abi(file) ? ELF_RULE_NONE : ELF_RULE_ABI;
}

/* Checks the program headers. If there are none, e_phentsize is not checked, because ptxas writes 0
 * there for sm_90 and later. */
static void check_program_headers(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    uint64_t size = (uint64_t)view->program_header_count * ELF_PROGRAM_HEADER_SIZE;
    uint16_t entry_size = load_u16(view->file.data + E_PHENTSIZE);
    struct bytes table;
    if (!view->program_header_count)
        return;
    if (entry_size != ELF_PROGRAM_HEADER_SIZE) {
        elf_check_report(check, ELF_RULE_PROGRAM_HEADER_SIZE, 0, 0, entry_size);
        return;
    }
    if (!bytes_part(view->file, view->program_header_offset, size, &table)) {
        elf_check_report(check, ELF_RULE_PROGRAM_TABLE_OUTSIDE, 0, 0, view->program_header_offset);
        return;
    }
    for (uint64_t i = 0; i < view->program_header_count; i++) {
        const uint8_t *header = table.data + i * ELF_PROGRAM_HEADER_SIZE;
        uint64_t offset = load_u64(header + 8);
        if (!bytes_contain(view->file, offset, load_u64(header + 32)))
            elf_check_report(check, ELF_RULE_SEGMENT_OUTSIDE, 0, i, offset);
    }
}

static bool read_header(struct elf_check *check)
{
    struct elf_view *view = check->view;
    enum elf_rule rule = identification_rule(view->file);
    if (rule != ELF_RULE_NONE) {
        elf_check_report(check, rule, 0, 0, view->file.size);
        return false;
    }
    const uint8_t *header = view->file.data;
    view->abi = header[EI_ABIVERSION];
    view->type = load_u16(header + E_TYPE);
    view->version = load_u32(header + E_VERSION);
    view->flags = load_u32(header + E_FLAGS);
    view->program_header_offset = load_u64(header + E_PHOFF);
    view->program_header_count = load_u16(header + E_PHNUM);
    view->section_header_offset = load_u64(header + E_SHOFF);
    if (load_u16(header + E_EHSIZE) != ELF_HEADER_SIZE)
        elf_check_report(check, ELF_RULE_HEADER_SIZE, 0, 0, load_u16(header + E_EHSIZE));
    check_program_headers(check);
    return true;
}

/* ---------------------------------------------------------------------------------------------- */
/* The section table */

/* Returns the value of elf_section.alignment_bits: 0 if there is no alignment, otherwise the binary
 * logarithm plus one. Alignments that are not powers of two are refused later, by
 * elf_check_section_headers. */
static uint8_t alignment_bits(uint64_t alignment)
{
    return (uint8_t)(alignment ? __builtin_ctzll(alignment) + 1 : 0);
}

/* Decodes a section header. Writes directly to the array element, which must be zeroed. Decoding to
 * a local variable and copying it was slower with gcc 12: the copy stalled, because it read bytes
 * whose stores had not completed. */
static void decode_section(const uint8_t *table, uint32_t index, struct elf_section *section)
{
    struct elf_section_header header = elf_section_header_at(table, index);
    section->size = header.size;
    section->flags = (uint32_t)header.flags;
    section->type = header.type;
    section->info = header.info;
    section->index = index;
    section->view = header.flags & SHF_MERCURY ? VIEW_MERCURY : VIEW_NATIVE;
    section->alignment_bits = alignment_bits(header.alignment);
}

/* Reads the number of sections, and the index of the section with the section names. If a value
 * does not fit into 16 bits, it is in the header of the null section. The number is compared with
 * the file's size, because callers allocate memory for that many sections. */
static bool read_section_counts(struct elf_check *check, uint64_t *count, uint32_t *names)
{
    struct elf_view *view = check->view;
    const uint8_t *header = view->file.data;
    uint64_t offset = view->section_header_offset;
    if (!offset) {
        elf_check_report(check, ELF_RULE_NO_SECTIONS, 0, 0, 0);
        return false;
    }
    if (load_u16(header + E_SHENTSIZE) != ELF_SECTION_HEADER_SIZE) {
        elf_check_report(check, ELF_RULE_SECTION_HEADER_SIZE, 0, 0, load_u16(header + E_SHENTSIZE));
        return false;
    }
    if (!bytes_contain(view->file, offset, ELF_SECTION_HEADER_SIZE)) {
        elf_check_report(check, ELF_RULE_SECTION_TABLE_OUTSIDE, 0, 0, offset);
        return false;
    }
    view->section_table = header + offset;
    struct elf_section_header null_section = elf_view_section_header(view, 0);
    *count = elf_section_count(header, &null_section);
    *names = elf_names_index(header, &null_section);
    if (*count == 0) {
        elf_check_report(check, ELF_RULE_NO_SECTIONS, 0, 0, 0);
        return false;
    }
    if (*count > (view->file.size - offset) / ELF_SECTION_HEADER_SIZE || *count > UINT32_MAX) {
        elf_check_report(check, ELF_RULE_SECTION_TABLE_OUTSIDE, 0, 0, *count);
        return false;
    }
    if (null_section.type != SHT_NULL) {
        elf_check_report(check, ELF_RULE_NULL_SECTION, 0, 0, null_section.type);
        return false;
    }
    return true;
}

static bool read_section_names(struct elf_check *check)
{
    struct elf_view *view = check->view;
    const uint8_t *table = view->section_table;
    struct elf_section_header names = {0};
    if (view->names_section < view->section_count)
        names = elf_section_header_at(table, view->names_section);
    struct bytes strings;
    if (names.type != SHT_STRTAB || !bytes_part(view->file, names.offset, names.size, &strings) ||
        !strings.size) {
        elf_check_report(check, ELF_RULE_NAMES_SECTION, 0, 0, view->names_section);
        return false;
    }
    if (strings.data[strings.size - 1]) {
        elf_check_report(check, ELF_RULE_STRINGS_UNTERMINATED, 0, 0, view->names_section);
        return false;
    }
    for (uint32_t i = 0; i < view->section_count; i++) {
        uint32_t name = elf_section_header_at(table, i).name;
        if (name >= strings.size) {
            elf_check_report(check, ELF_RULE_SECTION_NAME, i, 0, name);
            continue;
        }
        view->sections[i].name = (const char *)strings.data + name;
        if (!elf_check_afford_name(check, (const char *)strings.data, strings.size, name,
                                   NAME_COST_SYMBOL))
            elf_check_report(check, ELF_RULE_NAMES_TOTAL, view->names_section, i, name);
    }
    return !check->failed;
}

/* Replaces the plain ELF type of a native memory section with the CUDA type for its name. Code
 * sections (SHF_EXECINSTR) keep their type. */
static void classify_memory(struct elf_section *section)
{
    if (section->view == VIEW_NATIVE && !(section->flags & SHF_EXECINSTR) &&
        section_type_may_have_name(section->type))
        section->type = section_type_by_name(section->type, section->name);
}

static bool may_belong_to_code(const struct elf_section *section)
{
    switch (section->type) {
    case SHT_REL:
    case SHT_RELA:
    case SHT_CUDA_INFO:
    case SHT_CUDA_SHARED:
    case SHT_CUDA_LOCAL:
        return true;
    default:
        return section_type_constant_bank(section->type) >= 0;
    }
}

/* Sets SHF_INFO_LINK if the section belongs to code but lacks the flag. ptxas up to 12.3 did not
 * write the flag, although sh_info names the code. In outputs of nvlink 13.0.88 -r for such
 * objects, the parameter banks lack the flag, too, even in ABI 8. */
static void mark_owned(struct elf_section *section)
{
    if (!section->info || section->flags & SHF_INFO_LINK || !may_belong_to_code(section))
        return;
    section->flags |= SHF_INFO_LINK;
    section->is_unmarked = true;
}

static enum input_kind kind_of_other(uint32_t type)
{
    bool says_nothing = type == SHT_NULL || type == SHT_NOBITS;
    return says_nothing || !section_type_name(type) ? INPUT_UNKNOWN : INPUT_OTHER;
}

/* Returns the kind of a section. Requires: except in executables, classify_memory has set the CUDA
 * types of memory sections. */
static enum input_kind kind_of(const struct elf_section *section)
{
    if (section->view != VIEW_NATIVE)
        return kind_of_other(section->type);
    int bank = section_type_constant_bank(section->type);
    if (bank >= 0) {
        bool special = bank == CONSTANT_BANK_PARAMETERS || bank == CONSTANT_BANK_COMPILER;
        return special && section->flags & SHF_INFO_LINK ? INPUT_CONSTANT_ENTRY
                                                         : INPUT_CONSTANT_USER;
    }
    switch (section->type) {
    case SHT_PROGBITS:
        if (section->flags & SHF_EXECINSTR)
            return INPUT_TEXT;
        return section->flags & SHF_ALLOC ? INPUT_CARRIED : INPUT_DEBUG;
    case SHT_CUDA_UFT:
        return INPUT_TEXT;
    case SHT_CUDA_UNIFIED_INDEX:
    case SHT_CUDA_UDT:
    case SHT_CUDA_UFT_ENTRY:
    case SHT_CUDA_UDT_ENTRY:
        return INPUT_UNIFIED;
    case SHT_CUDA_GLOBAL:
        return INPUT_GLOBAL;
    case SHT_CUDA_GLOBAL_INIT:
        return INPUT_GLOBAL_INIT;
    case SHT_CUDA_SHARED:
        return section->flags & SHF_INFO_LINK ? INPUT_SHARED_ENTRY : INPUT_SHARED_FILE;
    case SHT_CUDA_SHARED_RESERVED:
        return INPUT_SHARED_RESERVED;
    case SHT_CUDA_LOCAL:
        return INPUT_LOCAL;
    case SHT_CUDA_INFO:
        return INPUT_INFO;
    case SHT_REL:
    case SHT_RELA:
        return INPUT_RELOCATIONS;
    case SHT_NOTE:
        return elf_section_is_cuda_note(section) ? INPUT_OTHER : INPUT_NOTES;
    default:
        return kind_of_other(section->type);
    }
}

/* Sets the kinds of all sections. Except in executables, the function first replaces plain ELF
 * types of memory sections with CUDA types, and adds missing SHF_INFO_LINK flags. In executables,
 * memory sections have plain ELF types and keep them. */
static void find_kinds(struct elf_view *view)
{
    for (uint32_t i = 1; i < view->section_count; i++) {
        struct elf_section *section = &view->sections[i];
        if (view->type != ET_EXEC) {
            classify_memory(section);
            mark_owned(section);
        }
        section->kind = (uint8_t)kind_of(section);
        view->section_counts[section->view]++;
        view->kinds |= UINT32_C(1) << section->kind;
    }
}

static bool read_section_table(struct elf_check *check)
{
    struct elf_view *view = check->view;
    uint64_t count;
    if (!read_section_counts(check, &count, &view->names_section))
        return false;
    view->section_count = (uint32_t)count;
    view->sections = ARENA_ARRAY(check->arena, struct elf_section, count);
    const uint8_t *table = view->section_table;
    for (uint32_t i = 1; i < view->section_count; i++)
        decode_section(table, i, &view->sections[i]);
    if (!read_section_names(check))
        return false;
    find_kinds(view);
    return true;
}

/* Checks that e_flags has the section index of the cuinfo note. Only files of ABI 8 have this
 * field. It has 8 bits; nvlink writes 0xff for larger indices (observed in links with more than 255
 * debug sections). Index 0 is accepted, because toolkits before 12.0 write it. Another check
 * decides whether files of these toolkits can be linked. */
static void check_cuinfo_index(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    uint32_t index = view->flags >> 24;
    if (!index || elf_view_abi(view) != ABIVERSION_CUDA)
        return;
    uint32_t last = index == 0xff ? view->section_count : index + 1;
    for (; index < last && index < view->section_count; index++)
        if (view->sections[index].type == SHT_NOTE && view->sections[index].flags & SHF_CUINFO_NOTE)
            return;
    elf_check_report(check, ELF_RULE_CUINFO_INDEX, 0, 0, view->flags >> 24);
}

/* ---------------------------------------------------------------------------------------------- */
/* Opening */

/* elf_check.name_budget has this number of units for each byte of the file. For example, a pair
 * that names a prototype has 8 bytes, which add 512 units. They pay for a prototype of 512 bytes,
 * because each byte of a prototype costs 1 unit. Bytes of symbol names cost more; see enum
 * name_cost. */
enum { NAME_BYTES_PER_FILE_BYTE = 64 };

/* Runs the stages that elf_check.h lists. After a violation in stages 1 to 3, the later stages do
 * not run, because they read headers, tables and owners without checking them again. The three
 * checks of stage 4 are independent, so all of them run, even if one finds a violation. */
static void check_all(struct elf_check *check)
{
    if (!read_header(check) || !read_section_table(check))
        return;
    check->is_strict |= check->view->type != ET_EXEC;
    check_cuinfo_index(check);
    elf_check_section_headers(check);
    elf_check_overlaps(check);
    if (elf_check_is_over(check))
        return;
    elf_check_find_tables(check);
    if (elf_check_is_over(check))
        return;
    elf_check_links(check);
    if (elf_check_is_over(check))
        return;
    elf_check_kinds(check);
    elf_check_symbol_tables(check);
    elf_check_contents(check);
}

bool elf_view_open(struct elf_view *view, struct bytes file, struct arena *arena,
                   elf_problem_handler *handler, void *context)
{
    *view = (struct elf_view){.file = file};
    struct elf_check check = {
        .view = view,
        .arena = arena,
        .handler = handler,
        .context = context,
        .name_budget = file.size > UINT64_MAX / NAME_BYTES_PER_FILE_BYTE
                           ? UINT64_MAX
                           : file.size * NAME_BYTES_PER_FILE_BYTE,
    };
    check_all(&check);
    return !elf_check_is_over(&check);
}

void elf_view_check_strictly(struct elf_view *view, struct arena *arena,
                             elf_problem_handler *handler, void *context)
{
    struct elf_check check = {
        .view = view, .arena = arena, .handler = handler, .context = context, .is_strict = true};
    elf_check_owner_names(&check);
    if (view->type != ET_EXEC) /* elf_view_open skips the rules below only in executables */
        return;
    elf_check_links(&check);
    elf_check_contents(&check);
}

/* ---------------------------------------------------------------------------------------------- */
/* Accessors */

bool elf_view_is_slots(const struct elf_view *view, const struct elf_section *section)
{
    return section->type == SHT_CUDA_UFT ||
           (section->type == SHT_MERCURY_CODE &&
            elf_view_section_header(view, section->index).entry_size);
}

/* Returns the expanded size of the Mercury code of the unified function table. No symbol has this
 * size, so it is computed from the number of items. The code has eight items for each slot, and one
 * more at the end. A slot expands to ten instructions (observed in executables for sm_100). */
static uint64_t expanded_slots_size(const struct elf_section *slots)
{
    enum { ITEMS_AT = 8, SLOT_ITEMS = 8, SLOT_EXPANDED = 0xa0 };
    uint64_t items = slots->size >= ITEMS_AT + 4 ? load_u32(slots->data + ITEMS_AT) : 0;
    return items / SLOT_ITEMS * SLOT_EXPANDED;
}

uint64_t elf_view_relocatable_size(const struct elf_view *view, const struct elf_section *target)
{
    if (target->type != SHT_MERCURY_CODE)
        return target->size;
    if (view->type == ET_EXEC && elf_view_is_slots(view, target))
        return expanded_slots_size(target);
    return elf_view_symbol(view, VIEW_MERCURY, target->info & ELF_CODE_SYMBOL_MASK).size;
}

const char *elf_view_string(const struct elf_view *view, enum code_view which, uint64_t offset)
{
    const struct elf_symbol_table *table = &view->symbols[which];
    return offset < table->strings_size ? table->strings + offset : NULL;
}
