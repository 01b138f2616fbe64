/* Checks sections and symbols; see verify.h. */
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/decode/subject.h"
#include "tool/verify/verify.h"

/* ---------------------------------------------------------------------------------------------- */
/* Order                                                                                          */

/* The sections of executables are in groups, in this order (observed in nvlink 13.0.88's outputs):
 * tables, debug information, descriptions of the program, relocations, constants, code, data,
 * memory without bytes. In files with Mercury code, extended section indices, constant bank 0 and
 * the Mercury view follow. Whole programs that ptxas 13.0.88 writes for sm_90 also have constant
 * bank 0 after the other groups. */
enum group {
    GROUP_TABLES,
    GROUP_DEBUG,
    GROUP_ABOUT,
    GROUP_RELOCATIONS,
    GROUP_CONSTANTS,
    GROUP_CODE,
    GROUP_DATA,
    GROUP_MEMORY,
    GROUP_INDICES,
    GROUP_LATE_CONSTANTS,
    GROUP_MERCURY,
};

static enum group allocated_group(const struct elf_section *section, bool after_code)
{
    if (!section->data)
        return GROUP_MEMORY;
    if (section->flags & SHF_WRITE)
        return GROUP_DATA;
    if (section->flags & SHF_EXECINSTR)
        return GROUP_CODE;
    return after_code ? GROUP_LATE_CONSTANTS : GROUP_CONSTANTS;
}

static enum group section_group(const struct elf_section *section, bool after_code)
{
    if (section->view == VIEW_MERCURY)
        return GROUP_MERCURY;
    if (section->flags & SHF_ALLOC)
        return allocated_group(section, after_code);
    if (elf_section_is_relocation(section))
        return GROUP_RELOCATIONS;
    switch (section->type) {
    case SHT_SYMTAB_SHNDX:
        return after_code ? GROUP_INDICES : GROUP_TABLES;
    case SHT_SYMTAB:
    case SHT_STRTAB:
        return GROUP_TABLES;
    case SHT_PROGBITS:
        return GROUP_DEBUG;
    default:
        return GROUP_ABOUT;
    }
}

static void check_order(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    enum group highest = GROUP_TABLES;
    for (uint32_t i = 1; i < view->section_count; i++) {
        bool after_code =
            (verify_has_mercury(verify) || verify->is_of_compiler) && highest >= GROUP_CODE;
        enum group group = section_group(&view->sections[i], after_code);
        if (group < highest)
            verify_report(verify, VERIFY_RULE_SECTION_ORDER, i, 0, highest);
        else
            highest = group;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Names                                                                                          */

/* Whether a section belongs to a static function: its chain of owners (section_owner) leads to the
 * code of a static function. */
static bool is_of_static_function(const struct elf_view *view, const struct elf_section *section)
{
    enum { STEPS = 4 };
    for (int step = 0; step < STEPS && !elf_section_is_code(section); step++) {
        uint32_t owner = section_owner(view, section);
        if (!owner)
            return false;
        section = &view->sections[owner];
    }
    return elf_section_is_code(section) &&
           elf_view_symbol(view, section->view, section->info & ELF_CODE_SYMBOL_MASK).binding ==
               STB_LOCAL;
}

struct section_name {
    struct name name;
    uint32_t first; /* first section with this name that check_names does not skip; 0: none */
};

/* Whether the section holds compiler-made constants. The constants of discarded copies of a weak
 * function can be in a second section with the same name (observed in outputs of nvlink 13.0.88;
 * see link/merge/merge_constant.c). */
static bool is_compiler_constants(const struct elf_section *section)
{
    static const char PREFIX[] = ".nv.constant2.";
    return section->type == SHT_MERCURY_CONSTANT_OPTIMIZER ||
           !strncmp(section->name, PREFIX, sizeof PREFIX - 1);
}

/* Checks that section names are unique. Two kinds of sections are skipped, because their names need
 * not be unique: those of static functions, and those with compiler-made constants
 * (is_compiler_constants). */
static void check_names(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    struct name_table names;
    name_table_init(&names, verify->arena, sizeof(struct section_name));
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (is_of_static_function(view, section) || is_compiler_constants(section))
            continue;
        struct section_name *name = name_table_intern(&names, section->name);
        if (name->first)
            verify_report(verify, VERIFY_RULE_SECTION_NAME_REPEATED, i, 0, name->first);
        else
            name->first = i;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Types and views                                                                                */

static void check_type(struct verify *verify, const struct elf_section *section)
{
    if (section->view == VIEW_NATIVE && section_type_in_executable(section->type) != section->type)
        verify_report(verify, VERIFY_RULE_SECTION_TYPE, section->index, 0, section->type);
}

/* Checks that each code section has exactly one counterpart in the other view. */
static void check_views(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    if (!verify_has_mercury(verify))
        return;
    bool *paired = ARENA_ARRAY(verify->arena, bool, view->section_count);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->type != SHT_MERCURY_CODE)
            continue;
        uint32_t native = section_owner(view, section);
        if (!native || !elf_section_is_code(&view->sections[native]) || paired[native])
            verify_report(verify, VERIFY_RULE_VIEW_MISSING, i, 0, native);
        else
            paired[native] = true;
    }
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (elf_section_is_code(section) && section->view == VIEW_NATIVE && !paired[i])
            verify_report(verify, VERIFY_RULE_VIEW_MISSING, i, 0, 0);
    }
}

void verify_sections(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    check_order(verify);
    check_names(verify);
    check_views(verify);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        check_type(verify, section);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Symbols                                                                                        */

struct symbol_name {
    struct name name;
    uint32_t first;
};

static void check_symbol(struct verify *verify, enum code_view which, uint32_t index,
                         struct name_table *names)
{
    const struct elf_view *view = &verify->subject->view;
    uint32_t table = view->symbols[which].section;
    struct elf_symbol symbol = elf_view_symbol(view, which, index);
    if (symbol.binding == STB_LOCAL) {
        if (symbol.section == SHN_UNDEF)
            verify_report(verify, VERIFY_RULE_SYMBOL_LOCAL_UNDEFINED, table, index, 0);
    } else {
        struct symbol_name *name = name_table_intern(names, symbol.name);
        if (name->first)
            verify_report(verify, VERIFY_RULE_SYMBOL_REPEATED, table, index, name->first);
        else
            name->first = index;
    }
    if (symbol.type == STT_CUDA_OBJECT || symbol.other & (STO_CUDA_SPACE & ~STO_CUDA_ENTRY))
        verify_report(verify, VERIFY_RULE_SYMBOL_KIND, table, index, symbol.other);
    if (symbol.type == STT_FUNC && symbol.other & STO_CUDA_ENTRY && symbol.section == SHN_UNDEF &&
        symbol.binding != STB_WEAK)
        verify_report(verify, VERIFY_RULE_KERNEL_BINDING, table, index, 0);
}

void verify_symbols(struct verify *verify)
{
    for (int which = 0; which < VIEW_COUNT; which++) {
        struct name_table names;
        name_table_init(&names, verify->arena, sizeof(struct symbol_name));
        for (uint32_t i = 1; i < verify->subject->view.symbols[which].count; i++)
            check_symbol(verify, which, i, &names);
    }
}
