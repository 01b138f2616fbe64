/* Checks section headers, overlaps of contents, and links and owners of sections; see elf_check.h.
 * Also has the functions with which all checks report violations and limit the cost of names. */
#include "format/elf_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/section_type.h"

void elf_check_report(struct elf_check *check, enum elf_rule rule, uint32_t section, uint64_t index,
                      uint64_t value)
{
    const struct elf_section *found = elf_check_section(check, section);
    struct elf_problem problem = {
        .rule = rule,
        .section = section,
        .section_name = found ? found->name : NULL,
        .index = index,
        .value = value,
    };
    check->failed |= !elf_rule_is_exception(rule);
    if (!check->stopped && check->handler)
        check->stopped = !check->handler(check->context, &problem);
}

bool elf_check_afford_long_name(struct elf_check *check, const char *name, enum name_cost cost)
{
    uint64_t length = cost * (strlen(name) + 1);
    if (length >= check->name_budget) {
        check->name_budget = 0; /* disables the count: the caller reports only one violation */
        return false;
    }
    check->name_budget -= length;
    return true;
}

/* ---------------------------------------------------------------------------------------------- */
/* One section header */

/* Size of a table entry in bytes, by section form; 0 for forms that are not tables. */
static const uint8_t ENTRY_SIZES[FORM_COUNT] = {
    [FORM_SYMBOLS] = ELF_SYMBOL_SIZE,
    [FORM_INDICES] = 4,
    [FORM_REL] = ELF_REL_SIZE,
    [FORM_RELA] = ELF_RELA_SIZE,
    [FORM_CALLGRAPH] = ELF_PAIR_SIZE,
    [FORM_PROTOTYPES] = ELF_PAIR_SIZE,
    [FORM_UNIFIED_ENTRIES] = ELF_UNIFIED_ENTRY_SIZE,
};

static void check_entries(struct elf_check *check, struct elf_section *section,
                          enum section_form form, uint64_t size_in_header)
{
    uint32_t entry_size = ENTRY_SIZES[form];
    if (!entry_size)
        return;
    if (size_in_header != entry_size)
        elf_check_report(check, ELF_RULE_ENTRY_SIZE, section->index, 0, size_in_header);
    else if (section->size % entry_size || section->size / entry_size > UINT32_MAX)
        elf_check_report(check, ELF_RULE_TABLE_SIZE, section->index, 0, section->size);
    else
        section->entry_count = (uint32_t)(section->size / entry_size);
}

static bool view_agrees(const struct elf_section *section, const struct section_type_facts *facts)
{
    enum section_type_view view =
        section->view == VIEW_NATIVE ? TYPE_VIEW_NATIVE : TYPE_VIEW_MERCURY;
    return facts->view == TYPE_VIEW_EITHER || facts->view == view;
}

enum { NOTE_ALIGNMENT = 4 };

/* Checks sh_addralign. It must not exceed the size of the file; otherwise a small input could cause
 * large padding in the output. Valid files meet this rule, because their contents are aligned in
 * the file. The offset of the contents must be aligned in executables only, because nvlink accepts
 * objects with unaligned offsets. */
static bool alignment_is_good(const struct elf_check *check, const struct elf_section *section,
                              const struct elf_section_header *header)
{
    uint64_t alignment = header->alignment;
    if (section->type == SHT_NOTE && elf_section_is_cuda_note(section) &&
        alignment != NOTE_ALIGNMENT)
        return false;
    bool is_placed = check->view->type != ET_EXEC || (header->offset & (alignment - 1)) == 0;
    return alignment <= 1 ||
           ((alignment & (alignment - 1)) == 0 && is_placed && alignment <= ELF_LARGEST_ALIGNMENT &&
            alignment <= check->view->file.size);
}

/* Sets is_disordered if the contents of a section do not follow those of the previous section in
 * the file. Compilers and linkers write contents in the order of the section table. */
static void note_order(struct elf_check *check, const struct elf_section *section, uint64_t offset)
{
    uint64_t *end = &check->contents_end[section->view];
    if (!section->size)
        return;
    if (offset < *end)
        check->is_disordered[section->view] = true;
    *end = offset + section->size;
}

static void check_contents_range(struct elf_check *check, struct elf_section *section,
                                 enum section_form form, uint64_t offset)
{
    struct bytes contents;
    if (!section_form_has_bytes(form)) {
        if (section->size >= ELF_LARGEST_MEMORY)
            elf_check_report(check, ELF_RULE_SECTION_SIZE, section->index, 0, section->size);
        return;
    }
    if (!bytes_part(check->view->file, offset, section->size, &contents)) {
        elf_check_report(check, ELF_RULE_SECTION_OUTSIDE, section->index, 0, offset);
        return;
    }
    section->data = contents.data;
    note_order(check, section, offset);
    if (form == FORM_STRINGS && contents.size && contents.data[contents.size - 1])
        elf_check_report(check, ELF_RULE_STRINGS_UNTERMINATED, section->index, 0, section->size);
}

/* Extends the range [first_table, end_tables), which contains the indices of all symbol tables and
 * tables of section indices. Later stages look for these tables only in this range. The range is
 * short, because most files have only one symbol table. */
static void note_table(struct elf_check *check, uint32_t section)
{
    if (!check->first_table)
        check->first_table = section;
    check->end_tables = section + 1;
}

void elf_check_section_headers(struct elf_check *check)
{
    struct elf_view *view = check->view;
    const uint8_t *table = view->section_table;
    for (uint32_t i = 1; i < view->section_count && !check->stopped; i++) {
        struct elf_section *section = &view->sections[i];
        struct elf_section_header header = elf_section_header_at(table, i);
        const struct section_type_facts *facts = section_type_facts(section->type);
        if (!alignment_is_good(check, section, &header))
            elf_check_report(check, ELF_RULE_ALIGNMENT, i, 0, header.alignment);
        if (!view_agrees(section, facts))
            elf_check_report(check, ELF_RULE_SECTION_VIEW, i, 0, header.flags);
        if (section->flags & SHF_EXECINSTR && !elf_section_is_code(section))
            elf_check_report(check, ELF_RULE_CODE_MARK, i, 0, header.flags);
        if (header.link >= view->section_count)
            elf_check_report(check, ELF_RULE_LINK_RANGE, i, 0, header.link);
        check_contents_range(check, section, facts->form, header.offset);
        check_entries(check, section, facts->form, header.entry_size);
        if (facts->form == FORM_SYMBOLS || facts->form == FORM_INDICES)
            note_table(check, i);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Overlaps */

struct range {
    uint64_t start;
    uint64_t end;
    uint32_t section;
};

static int compare_ranges(const void *a, const void *b)
{
    const struct range *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->section < right->section ? -1 : left->section > right->section;
}

static void check_sorted_ranges(struct elf_check *check, const struct range *ranges, uint32_t count)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (ranges[i].start < end)
            elf_check_report(check, ELF_RULE_SECTION_OVERLAP, ranges[i].section, 0,
                             ranges[i].start);
        if (ranges[i].end > end)
            end = ranges[i].end;
    }
}

/* Returns the file offset of a section's contents. Requires: section->data is not NULL. */
static uint64_t file_offset(const struct elf_view *view, const struct elf_section *section)
{
    return (uint64_t)(section->data - view->file.data);
}

/* Reports sections of one view whose contents overlap. In a file with many overlapping sections,
 * the linker would read the same bytes once for each section, so a small file could take very long.
 * Sections of different views may overlap: compilers store constants and initialised data only
 * once, and the sections of both views have the same file offset. */
static void check_view_overlaps(struct elf_check *check, enum code_view which)
{
    const struct elf_view *view = check->view;
    struct range few[128], *ranges = few;
    if (view->section_count > sizeof few / sizeof *few)
        ranges = ARENA_ARRAY(check->arena, struct range, view->section_count);
    uint32_t count = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->view != which || !section->data || !section->size)
            continue;
        uint64_t offset = file_offset(view, section);
        ranges[count++] = (struct range){offset, offset + section->size, i};
    }
    qsort(ranges, count, sizeof *ranges, compare_ranges);
    check_sorted_ranges(check, ranges, count);
}

void elf_check_overlaps(struct elf_check *check)
{
    for (int which = 0; which < VIEW_COUNT; which++)
        if (check->is_disordered[which])
            check_view_overlaps(check, which);
}

/* ---------------------------------------------------------------------------------------------- */
/* Links and owners of sections */

/* Returns false if a section contains symbol indices, but its sh_link does not name the symbol
 * table of its view. Attribute sections may have sh_link 0, as in cubins of tools other than
 * ptxas. */
static bool links_to_symbols(const struct elf_check *check, const struct elf_section *section,
                             enum section_form form, uint32_t link)
{
    bool may_be_none = form == FORM_ATTRIBUTES;
    bool has_symbols = may_be_none || form == FORM_CALLGRAPH || form == FORM_PROTOTYPES ||
                       section_form_is_relocations(form) || elf_section_is_code(section);
    if (!has_symbols)
        return true;
    return link ? link == elf_check_symbols(check, section)->section : may_be_none;
}

/* Returns false if relocations must not apply to the section: it has no contents, or nvlink 13.0.88
 * refuses relocations for its type ("unexpected reloc section"). */
static bool can_have_relocations(const struct elf_section *section)
{
    switch (section_type_form(section->type)) {
    case FORM_BYTES:
    case FORM_CODE:
    case FORM_FUNCTION_DATA:
        return section->data;
    default:
        return false;
    }
}

/* Returns true if elf_view_open must compare the section's name with the name of its owner. For
 * most sections a wrong name has no effect, because a link generates the names of a function's
 * sections. Names are compared only where no other rule detects a wrong owner:
 *   - relocations of debug information
 *   - relocations of a kernel's constants, because a link may add relocations for textures to them
 *   - user constants and local memory of a function, which keep their names in relocatable outputs
 *   - other memory of a function, which keeps its name in all outputs */
bool elf_check_needs_name(const struct elf_check *check, const struct elf_section *section)
{
    if (elf_section_is_relocation(section)) {
        uint8_t owner = check->view->sections[section->info].kind;
        return owner == INPUT_DEBUG || owner == INPUT_CONSTANT_ENTRY;
    }
    bool keeps_name = section->kind == INPUT_CONSTANT_USER || section->kind == INPUT_LOCAL ||
                      section->kind == INPUT_CARRIED;
    return keeps_name && section->flags & SHF_INFO_LINK;
}

static void check_name(struct elf_check *check, const struct elf_section *section)
{
    if (check->view->type != ET_EXEC && elf_check_needs_name(check, section))
        elf_check_owner_name(check, section);
}

static void check_relocation_target(struct elf_check *check, const struct elf_section *section)
{
    const struct elf_section *target = elf_check_section(check, section->info);
    if (!target)
        elf_check_report(check, ELF_RULE_INFO_RANGE, section->index, 0, section->info);
    else if (target->view != section->view)
        elf_check_report(check, ELF_RULE_INFO_KIND, section->index, 0, section->info);
    else if (!can_have_relocations(target))
        elf_check_report(check, ELF_RULE_RELOCATION_TARGET, section->index, 0, section->info);
    else
        check_name(check, section);
}

/* Reads the symbol of the function to which a code section belongs. Its index is in the lower 24
 * bits of sh_info. Returns false if the symbol is not a function in this section. */
static bool find_code_function(const struct elf_check *check, const struct elf_section *code,
                               struct elf_symbol *function)
{
    uint32_t index = code->info & ELF_CODE_SYMBOL_MASK;
    if (index >= elf_check_symbols(check, code)->count)
        return false;
    *function = elf_view_symbol(check->view, code->view, index);
    return function->type == STT_FUNC && function->section == code->index;
}

/* Returns true for sections that only kernels have in relocatable files: the constant banks with
 * parameters. Returns false for shared memory, because a device function can have an empty section
 * of it. nvlink -r writes such a section for a function that has the name of a system function. */
static bool is_of_kernels(const struct elf_section *section)
{
    return section->view == VIEW_NATIVE && section_type_constant_bank(section->type) == 0;
}

static bool owner_is_good(const struct elf_check *check, const struct elf_section *section,
                          const struct elf_section *owner)
{
    struct elf_symbol function;
    if (section->type == SHT_NOTE)
        return owner->type == SHT_CUDA_COMPAT;
    if (!elf_section_is_code(owner) || owner->view != section->view)
        return false;
    if (!is_of_kernels(section))
        return true;
    /* Accept code that has no function symbol: check_code reports it. */
    return owner->type == SHT_PROGBITS &&
           (!find_code_function(check, owner, &function) || function.other & STO_CUDA_ENTRY);
}

/* Checks that sh_info names a valid owner. The owner of a function's attributes, constants and
 * shared memory must be the function's code. The owner of the cuinfo note must be .nv.compat. */
static void check_owner(struct elf_check *check, const struct elf_section *section)
{
    const struct elf_section *owner = elf_check_section(check, section->info);
    if (!owner)
        elf_check_report(check, ELF_RULE_INFO_RANGE, section->index, 0, section->info);
    else if (!owner_is_good(check, section, owner))
        elf_check_report(check, ELF_RULE_INFO_KIND, section->index, 0, section->info);
    else
        check_name(check, section);
}

/* Checks a code section. It must not have SHF_INFO_LINK, because its sh_info names its function,
 * not an owner. */
static void check_code(struct elf_check *check, const struct elf_section *section)
{
    struct elf_symbol function;
    if (section->flags & SHF_INFO_LINK)
        elf_check_report(check, ELF_RULE_INFO_KIND, section->index, 0, section->info);
    else if (!find_code_function(check, section, &function))
        elf_check_report(check, ELF_RULE_CODE_SYMBOL, section->index, 0, section->info);
    else if (check->is_strict)
        elf_check_note_code(check, section);
}

static void check_links_of(struct elf_check *check, const struct elf_section *section,
                           uint32_t link)
{
    enum section_form form = section_type_form(section->type);
    if (!links_to_symbols(check, section, form, link)) {
        elf_check_report(check, ELF_RULE_LINK_KIND, section->index, 0, link);
        return;
    }
    if (section_form_is_relocations(form))
        check_relocation_target(check, section);
    else if (elf_section_is_code(section))
        check_code(check, section);
    else if (section->flags & SHF_INFO_LINK)
        check_owner(check, section);
}

void elf_check_links(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    const uint8_t *table = view->section_table;
    for (uint32_t i = 1; i < view->section_count && !check->stopped; i++)
        check_links_of(check, &view->sections[i], elf_section_header_at(table, i).link);
}
