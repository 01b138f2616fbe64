/* Checks the kinds of native sections; see elf_check.h. Name, flags and type of a section must
 * agree. No section may own two sections of one kind. No two memory sections without an owner
 * should have the same name.
 *
 * The linker finds output sections by name and a function's sections by kind, so both must be
 * unambiguous. */
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "format/elf.h"
#include "format/elf_check.h"
#include "format/elf_view.h"
#include "format/section_type.h"

/* ---------------------------------------------------------------------------------------------- */
/* Names */

/* Compares the first two letters without a call. This avoids most calls of strncmp, and saves 1 in
 * 500 instructions of a small link. */
#define BEGINS_WITH(name, literal)                                                                 \
    ((name)[0] == (literal)[0] && (name)[1] == (literal)[1] &&                                     \
     !strncmp(name, literal, sizeof(literal) - 1))

/* Returns true if the section has the name `name`, or NAME.FUNCTION if it belongs to a function. */
static bool is_named(const struct elf_section *section, const char *name)
{
    if (!(section->flags & SHF_INFO_LINK))
        return !strcmp(section->name, name);
    size_t size = strlen(name);
    return !strncmp(section->name, name, size) && section->name[size] == '.';
}

/* Returns true for names of sections that the linker interprets. Sections of debug information must
 * not have such names, because the linker finds output sections by name. All other names may begin
 * with ".nv.", too: nvlink copies such sections (observed). */
static bool is_name_of_linker(const char *name)
{
    static const char *const PREFIXES[] = {
        /* all begin with ".n" */
        ".nv.global", ".nv.shared",       ".nv_debug.shared", ".nv.local",  ".nv.constant",
        ".nv.info",   ".nv.callgraph",    ".nv.prototype",    ".nv.compat", ".nv.rel.action",
        ".nv.uft",    ".nv.udt",          ".nv.uidx",         ".nv.merc.",  ".nv.capmerc",
        ".note.nv.",  ".nv.resolvedrela",
    };
    for (size_t i = 0; BEGINS_WITH(name, ".n") && i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (!strncmp(name, PREFIXES[i], strlen(PREFIXES[i])))
            return true;
    return false;
}

/* Returns true if the section's name fits its constant bank. For parameters and compiler-made
 * constants, only the names that ptxas writes fit, because the linker generates the same names. For
 * other banks, the name must contain the bank's number. */
static bool is_named_as_bank(const struct elf_section *section, int bank)
{
    if (bank == CONSTANT_BANK_PARAMETERS)
        return is_named(section, ".nv.constant0");
    if (bank == CONSTANT_BANK_COMPILER)
        return is_named(section, ".nv.constant2");
    return section_name_constant_bank(section->name) == bank;
}

/* Returns true for the name of a string table or symbol table. A file has each name only once. */
static bool is_name_of_table(const char *name)
{
    return BEGINS_WITH(name, ".s") && (!strcmp(name, ".shstrtab") || !strcmp(name, ".strtab") ||
                                       !strcmp(name, ".symtab") || !strcmp(name, ".symtab_shndx"));
}

/* Returns true for names that a section of an unknown type may have. The output does not contain
 * such sections, so their names must differ from those of the sections that a link needs. */
static bool is_free_name(const char *name)
{
    return !is_name_of_linker(name) && !BEGINS_WITH(name, ".text.") && !BEGINS_WITH(name, ".rel") &&
           !is_name_of_table(name);
}

static bool is_name_of_debug(const char *name)
{
    return BEGINS_WITH(name, ".debug_") || BEGINS_WITH(name, ".nv_debug_");
}

/* Returns true for names that a note of another tool may have. A note must not have the name of a
 * debug section, because debug sections are merged by name. */
static bool is_name_for_note(const char *name)
{
    return is_free_name(name) && !is_name_of_debug(name);
}

/* Returns true if the section's name fits its type:
 *   - Code, constant banks, shared memory and attributes must have the name that ptxas writes for
 *     their type.
 *   - Sections of variables in global and local memory, and of user constants, need only the prefix
 *     of that name. nvlink keeps sections with different names separate (observed).
 *   - Debug sections and sections of unknown types may have any name that the linker does not
 *     interpret. So may notes of other tools, but not the name of a debug section.
 *   - Names of other types, such as tables and relocations, are not checked here. */
static bool name_fits(const struct elf_section *section)
{
    int bank = section_type_constant_bank(section->type);
    if (bank >= 0)
        return is_named_as_bank(section, bank);
    switch (section->type) {
    case SHT_PROGBITS:
        if (section->flags & SHF_EXECINSTR)
            return BEGINS_WITH(section->name, ".text.");
        return is_free_name(section->name);
    case SHT_NOTE:
        return elf_section_is_cuda_note(section) || is_name_for_note(section->name);
    case SHT_CUDA_GLOBAL:
        return BEGINS_WITH(section->name, ".nv.global") &&
               !BEGINS_WITH(section->name, ".nv.global.init");
    case SHT_CUDA_GLOBAL_INIT:
        return BEGINS_WITH(section->name, ".nv.global.init");
    case SHT_CUDA_LOCAL:
        return BEGINS_WITH(section->name, ".nv.local");
    case SHT_CUDA_SHARED_RESERVED:
        return BEGINS_WITH(section->name, ".nv.shared.reserved.");
    case SHT_CUDA_SHARED:
        return section->flags & SHF_INFO_LINK ? is_named(section, ".nv.shared")
                                              : BEGINS_WITH(section->name, ".nv_debug.shared");
    case SHT_CUDA_INFO:
        return is_named(section, ".nv.info");
    case SHT_CUDA_UNIFIED_INDEX:
        return BEGINS_WITH(section->name, ".nv.uidx") || is_free_name(section->name);
    default:
        return section->kind != INPUT_UNKNOWN || is_free_name(section->name);
    }
}

/* Returns true if the section has the flags that ptxas writes for its type. nvlink copies the flags
 * of the first input section to the output section. If these flags are missing, no segment covers
 * the output section (observed). */
static bool flags_fit(const struct elf_section *section)
{
    switch (section->type) {
    case SHT_CUDA_GLOBAL:
    case SHT_CUDA_LOCAL:
    case SHT_CUDA_SHARED:
    case SHT_CUDA_UDT:
    case SHT_CUDA_SHARED_RESERVED:
        return (section->flags & (SHF_ALLOC | SHF_WRITE)) == (SHF_ALLOC | SHF_WRITE);
    case SHT_CUDA_GLOBAL_INIT:
        return section->flags & SHF_ALLOC;
    default:
        return section_type_constant_bank(section->type) < 0 ||
               (section->flags & (SHF_ALLOC | SHF_WRITE)) == SHF_ALLOC;
    }
}

/* Returns true for a section with SHF_WRITE but without SHF_ALLOC, and for debug information with
 * SHF_ALLOC. Such sections cause a warning, not an error, because nvlink 13.0.88 links them
 * (observed). For example, it places notes of other tools that have only SHF_WRITE among the
 * variables, but no segment covers them. It places debug information with SHF_ALLOC among the
 * constants. */
static bool has_unusual_flags(const struct elf_section *section)
{
    if ((section->flags & (SHF_ALLOC | SHF_WRITE)) == SHF_WRITE)
        return true;
    return section->kind == INPUT_CARRIED && is_name_of_debug(section->name);
}

/* ---------------------------------------------------------------------------------------------- */
/* One of each kind */

enum { KIND_INFO = 27, KIND_SHARED, KIND_REL, KIND_RELA, NO_KIND };

/* Returns the kind of a section that has an owner. No owner may have two sections of one kind. For
 * a constant bank, the kind is the bank's number. In executables, the REL section for texture slots
 * has no SHF_INFO_LINK. It has no kind, because its owner may also have a normal REL section. */
static int owned_kind(const struct elf_section *section, bool is_relocatable)
{
    int bank = section_type_constant_bank(section->type);
    switch (section->type) {
    case SHT_REL:
        return is_relocatable || section->flags & SHF_INFO_LINK ? KIND_REL : NO_KIND;
    case SHT_RELA:
        return KIND_RELA;
    default:
        if (!(section->flags & SHF_INFO_LINK))
            return NO_KIND;
        if (section->type == SHT_CUDA_INFO)
            return KIND_INFO;
        if (section->type == SHT_CUDA_SHARED)
            return KIND_SHARED;
        return bank >= 0 ? bank : NO_KIND;
    }
}

/* Returns true for sections with variables that belong to no single function. */
static bool is_memory_without_owner(const struct elf_section *section)
{
    if (section->view != VIEW_NATIVE || section->flags & SHF_INFO_LINK)
        return false;
    switch (section->kind) {
    case INPUT_CONSTANT_USER:
    case INPUT_GLOBAL:
    case INPUT_GLOBAL_INIT:
    case INPUT_SHARED_FILE:
    case INPUT_LOCAL:
        return true;
    default:
        return false;
    }
}

/* Reports each memory section without an owner that has the name of an earlier one. This causes a
 * warning, not an error: nvlink 13.0.88 links such an object if no symbol is in the second section
 * (observed with .nv.global and .nv.global.init). The function is slow, so it is called only if the
 * file may have two memory sections without an owner of one kind. An owned section of local memory
 * can cause an unnecessary call. */
__attribute__((cold)) static void check_repeated_memory(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    struct name_table names;
    name_table_init(&names, check->arena, sizeof(struct name));
    for (uint32_t i = 1; i < view->section_count && !check->stopped; i++) {
        if (!is_memory_without_owner(&view->sections[i]))
            continue;
        uint32_t known = names.count;
        name_table_intern(&names, view->sections[i].name);
        if (names.count == known)
            elf_check_report(check, ELF_RULE_MEMORY_REPEATED, i, 0, view->sections[i].type);
    }
}

/* If a file has more than this number of sections, the array `owned` of elf_check_kinds is in the
 * arena, not on the stack. It takes a twelfth of the memory of the decoded section headers. */
enum { FEW_SECTIONS = 1024 };

void elf_check_kinds(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    /* In executables, most sections have the type PROGBITS, so names and flags are not checked. */
    bool is_relocatable = view->type != ET_EXEC;
    /* Bits by enum input_kind: kinds of memory sections without an owner that were found, and kinds
     * that may have been found twice. */
    uint32_t memory = 0, repeated = 0;
    uint32_t few[FEW_SECTIONS], *owned = few;
    if (view->section_count > FEW_SECTIONS)
        owned = ARENA_ARRAY(check->arena, uint32_t, view->section_count);
    else
        memset(few, 0, view->section_count * sizeof *few);
    for (uint32_t i = 1; i < view->section_count && !check->stopped; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->view != VIEW_NATIVE)
            continue;
        if (is_relocatable && !name_fits(section))
            elf_check_report(check, ELF_RULE_SECTION_KIND, i, 0, section->type);
        else if (is_relocatable && !flags_fit(section))
            elf_check_report(check, ELF_RULE_SECTION_FLAGS, i, 0, section->flags);
        else if (is_relocatable && has_unusual_flags(section))
            elf_check_report(check, ELF_RULE_MEMORY_FLAGS, i, 0, section->flags);
        int kind = owned_kind(section, is_relocatable);
        if (kind == NO_KIND) {
            uint32_t bit = UINT32_C(1) << section->kind;
            repeated |= memory & bit;
            memory |= is_relocatable && is_memory_without_owner(section) ? bit : 0;
            continue;
        }
        if (owned[section->info] >> kind & 1)
            elf_check_report(check, ELF_RULE_SECTION_DUPLICATE, i, 0, section->info);
        owned[section->info] |= UINT32_C(1) << kind;
    }
    if (repeated)
        check_repeated_memory(check);
}
