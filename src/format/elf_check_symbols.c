/* Finds and checks the symbol tables; see elf_check.h. */
#include <string.h>

#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_check.h"
#include "format/elf_view.h"
#include "format/mercury_header.h"
#include "format/section_type.h"

/* ---------------------------------------------------------------------------------------------- */
/* Existing tables */

/* Returns true if all fields of the symbol except st_value are zero. nvlink 13.0.88 writes an
 * address to the st_value of the null symbol if a discarded weak copy had compiler-made constants
 * (observed). */
static bool is_null_symbol(const uint8_t *entry)
{
    static const uint8_t ZEROS[ELF_SYMBOL_SIZE];
    enum { VALUE = 8, SIZE = 16 };
    return memcmp(entry, ZEROS, VALUE) == 0 &&
           memcmp(entry + SIZE, ZEROS, ELF_SYMBOL_SIZE - SIZE) == 0;
}

static void find_symbol_table(struct elf_check *check, const struct elf_section *section)
{
    struct elf_symbol_table *table = &check->view->symbols[section->view];
    uint32_t link = elf_view_section_header(check->view, section->index).link;
    const struct elf_section *strings = elf_check_section(check, link);
    if (table->section) {
        elf_check_report(check, ELF_RULE_SYMTAB_DUPLICATE, section->index, 0, table->section);
        return;
    }
    table->section = section->index;
    if (!strings || strings->type != SHT_STRTAB) {
        elf_check_report(check, ELF_RULE_LINK_KIND, section->index, 0, link);
        return;
    }
    table->entries = section->data;
    table->count = section->entry_count;
    table->strings = (const char *)strings->data;
    table->strings_size = strings->size;
    if (section->info > section->entry_count)
        elf_check_report(check, ELF_RULE_FIRST_GLOBAL, section->index, 0, section->info);
    if (!table->count || !is_null_symbol(table->entries))
        elf_check_report(check, ELF_RULE_NULL_SYMBOL, section->index, 0, 0);
}

/* Returns true if the Mercury view's table of extended section indices has an entry for each native
 * symbol, which is more than it needs. nvlink 13.0.88 writes tables of this size. */
static bool has_native_count(const struct elf_view *view, const struct elf_section *section)
{
    return section->view == VIEW_MERCURY &&
           section->entry_count == view->symbols[VIEW_NATIVE].count &&
           section->entry_count > view->symbols[VIEW_MERCURY].count;
}

static void find_extended_indices(struct elf_check *check, const struct elf_section *section)
{
    struct elf_view *view = check->view;
    const struct elf_symbol_table *table = &view->symbols[section->view];
    uint32_t link = elf_view_section_header(check->view, section->index).link;
    if (view->extended_indices[section->view]) {
        elf_check_report(check, ELF_RULE_EXTENDED_DUPLICATE, section->index, 0, 0);
    } else if (!link || link != table->section) {
        elf_check_report(check, ELF_RULE_LINK_KIND, section->index, 0, link);
    } else if (section->entry_count != table->count && !has_native_count(view, section)) {
        elf_check_report(check, ELF_RULE_EXTENDED_SIZE, section->index, 0, section->entry_count);
    } else {
        view->extended_indices[section->view] = section->data;
        view->extended_sections[section->view] = section->index;
    }
}

void elf_check_find_tables(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    for (uint32_t i = check->first_table; i < check->end_tables; i++)
        if (section_type_form(view->sections[i].type) == FORM_SYMBOLS)
            find_symbol_table(check, &view->sections[i]);
    if (!view->symbols[VIEW_NATIVE].section)
        elf_check_report(check, ELF_RULE_SYMTAB_MISSING, 0, 0, 0);
    for (uint32_t i = check->first_table; i < check->end_tables && !check->failed; i++)
        if (section_type_form(view->sections[i].type) == FORM_INDICES)
            find_extended_indices(check, &view->sections[i]);
}

/* ---------------------------------------------------------------------------------------------- */
/* Symbols */

struct symbol_location {
    enum code_view which;
    uint32_t table; /* section index of the symbol table */
    uint32_t index; /* index of the symbol in the table */
};

static void report_symbol(struct elf_check *check, enum elf_rule rule,
                          const struct symbol_location *location, uint64_t value)
{
    elf_check_report(check, rule, location->table, location->index, value);
}

enum { ANY_SPACE = 0xff };

/* Returns the memory space that st_other of a variable in this section must have; ANY_SPACE if the
 * section is not memory. The rule holds in every observed relocatable file of ptxas and nvlink
 * 13.0.88, in both views. */
static uint8_t memory_space(const struct elf_section *section)
{
    if (section->view == VIEW_NATIVE && section_type_constant_bank(section->type) >= 0)
        return STO_CUDA_CONSTANT;
    switch (section->type) {
    case SHT_CUDA_GLOBAL:
    case SHT_CUDA_GLOBAL_INIT:
    case SHT_CUDA_UDT:
        return STO_CUDA_GLOBAL;
    case SHT_CUDA_SHARED:
        return STO_CUDA_SHARED;
    case SHT_CUDA_LOCAL:
        return STO_CUDA_LOCAL;
    case SHT_CUDA_SHARED_RESERVED:
        return STO_CUDA_RESERVED_SHARED;
    case SHT_CUDA_CONSTANT:
    case SHT_MERCURY_CONSTANT_USER:
    case SHT_MERCURY_CONSTANT_PIC:
    case SHT_MERCURY_CONSTANT_OPTIMIZER:
        return STO_CUDA_CONSTANT;
    default:
        return ANY_SPACE;
    }
}

static bool is_shared_memory(const struct elf_section *section)
{
    return section->type == SHT_CUDA_SHARED || section->type == SHT_CUDA_SHARED_RESERVED;
}

/* Checks the alignment of a variable whose offset the linker assigns: a common symbol, or a
 * variable in shared memory. Its st_value is the alignment (observed by varying .align). ptxas
 * accepts only powers of two. */
static void check_symbol_alignment(struct elf_check *check, const struct symbol_location *location,
                                   const struct elf_symbol *symbol)
{
    uint64_t alignment = symbol->value;
    if (alignment > ELF_LARGEST_ALIGNMENT || (alignment & (alignment - 1)) != 0)
        report_symbol(check, ELF_RULE_SYMBOL_ALIGNMENT, location, alignment);
}

static void check_symbol_extent(struct elf_check *check, const struct symbol_location *location,
                                const struct elf_symbol *symbol, const struct elf_section *section)
{
    if (symbol->value > section->size || symbol->size > section->size - symbol->value)
        report_symbol(check, ELF_RULE_SYMBOL_OUTSIDE, location, symbol->value);
}

/* Returns the name of a symbol; NULL if the name is outside the string table. The symbol need not
 * have been checked. */
static const char *name_in_table(const struct elf_check *check, enum code_view which,
                                 uint32_t index)
{
    const struct elf_symbol_table *table = &check->view->symbols[which];
    return elf_view_string(check->view, which,
                           load_u32(table->entries + (uint64_t)index * ELF_SYMBOL_SIZE));
}

static bool have_same_name(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* Returns true if the symbol is an alias and is not valid. An alias is a second function symbol in
 * a function's code section. It must have another name than the function. Neither it nor the
 * function may be a kernel, because an alias has no sections. Requires: the file is not an
 * executable. In executables made from whole programs, a kernel's code also contains device
 * functions. */
static bool is_bad_alias(const struct elf_check *check, const struct symbol_location *location,
                         const struct elf_symbol *symbol, const struct elf_section *section)
{
    uint32_t owner = section->info & ELF_CODE_SYMBOL_MASK;
    if (section->view != location->which || owner == location->index)
        return false;
    uint8_t other = elf_view_symbol(check->view, location->which, owner).other;
    return (symbol->other | other) & STO_CUDA_ENTRY ||
           have_same_name(name_in_table(check, location->which, location->index),
                          name_in_table(check, location->which, owner));
}

static void check_function(struct elf_check *check, const struct symbol_location *location,
                           const struct elf_symbol *symbol, const struct elf_section *section)
{
    bool is_relocatable = check->view->type != ET_EXEC;
    bool is_inner = elf_view_is_inner(check->view, symbol);
    if (!section || !elf_section_is_code(section))
        report_symbol(check, ELF_RULE_SYMBOL_FUNCTION, location, symbol->section);
    else if (is_relocatable && symbol->value && !is_inner)
        report_symbol(check, ELF_RULE_FUNCTION_VALUE, location, symbol->value);
    else if (is_relocatable && !is_inner && is_bad_alias(check, location, symbol, section))
        report_symbol(check, ELF_RULE_FUNCTION_ALIAS, location, symbol->other);
    else if (section->view == VIEW_NATIVE) /* st_size of a Mercury function is the size of expanded
                                              code, which is larger than the section */
        check_symbol_extent(check, location, symbol, section);
}

/* Returns true if the symbol is a local texture, sampler or surface, but not a valid one. Valid
 * ones are a kernel's parameters, and their symbols are in the kernel's code. A symbol with the
 * name of the code section is not valid: it is the section symbol with a wrong type, for which
 * nvlink 13.0.88 reports a multiple definition. If the symbol is in any other section, nvlink ends
 * with an internal error. This was observed with 6 changed symbol types in two objects. */
static bool is_misplaced_texture(const struct elf_check *check,
                                 const struct symbol_location *location,
                                 const struct elf_symbol *symbol, const struct elf_section *section)
{
    if (location->which != VIEW_NATIVE || symbol->binding != STB_LOCAL ||
        symbol->type < STT_CUDA_TEXTURE || symbol->type > STT_CUDA_SURFACE)
        return false;
    return !section || !elf_view_is_texture_parameter(check->view, symbol) ||
           have_same_name(name_in_table(check, location->which, location->index), section->name);
}

/* Returns true if the symbol's memory space fits its section. A symbol in a memory section must
 * have the space of the section. Other sections may contain only untyped symbols, and textures that
 * are parameters. In other sections of the Mercury view, everything except shared variables is
 * accepted, because little is known about these sections. */
static bool space_agrees(const struct elf_check *check, const struct symbol_location *location,
                         const struct elf_symbol *symbol, const struct elf_section *section)
{
    uint8_t space = symbol->other & STO_CUDA_SPACE;
    uint8_t expected = section ? memory_space(section) : STO_CUDA_GLOBAL;
    if (is_misplaced_texture(check, location, symbol, section))
        return false;
    if (expected != ANY_SPACE)
        return space == expected;
    return space != STO_CUDA_SHARED &&
           (symbol->type == STT_NOTYPE || location->which == VIEW_MERCURY ||
            elf_view_is_texture_parameter(check->view, symbol));
}

/* Returns false for the shared memory of a function that is not a kernel. A device function may
 * have such a section (see is_of_kernels in elf_check.c), but no variable may be in it. */
static bool is_of_kernel(const struct elf_check *check, const struct elf_section *section)
{
    if (section->type != SHT_CUDA_SHARED || !(section->flags & SHF_INFO_LINK))
        return true;
    const struct elf_section *code = &check->view->sections[section->info];
    uint32_t function = code->info & ELF_CODE_SYMBOL_MASK;
    return elf_view_symbol(check->view, code->view, function).other & STO_CUDA_ENTRY;
}

/* Checks the value and size of a variable in shared memory. In a whole program, its value is the
 * offset that the compiler has assigned. Extern shared variables of whole programs are not checked:
 * they are in .nv_debug.shared, and their values are not offsets in it (observed with -G). In other
 * objects, the value is the alignment. A variable must not be in an empty section: a link with -r
 * would drop the section, but keep the variable. */
static void check_shared_variable(struct elf_check *check, const struct symbol_location *location,
                                  const struct elf_symbol *symbol,
                                  const struct elf_section *section)
{
    if (check->view->type == ET_WHOLE_PROGRAM) {
        if (section->flags & SHF_INFO_LINK)
            check_symbol_extent(check, location, symbol, section);
    } else if (symbol->size && !section->size) {
        report_symbol(check, ELF_RULE_SYMBOL_OUTSIDE, location, symbol->size);
    } else {
        check_symbol_alignment(check, location, symbol);
    }
}

/* Checks a variable of a relocatable file. `section` is NULL for common and absolute symbols.
 * Absolute symbols are reported, because they are valid only in executables. */
static void check_variable(struct elf_check *check, const struct symbol_location *location,
                           const struct elf_symbol *symbol, const struct elf_section *section)
{
    if (symbol->section == ELF_SECTION_ABSOLUTE)
        report_symbol(check, ELF_RULE_SYMBOL_SECTION, location, symbol->section);
    else if (!space_agrees(check, location, symbol, section))
        report_symbol(check, ELF_RULE_SYMBOL_SPACE, location, symbol->other);
    else if (section && !is_of_kernel(check, section))
        elf_check_report(check, ELF_RULE_INFO_KIND, symbol->section, 0, section->info);
    else if (!section)
        check_symbol_alignment(check, location, symbol);
    else if (is_shared_memory(section))
        check_shared_variable(check, location, symbol, section);
    else
        check_symbol_extent(check, location, symbol, section);
}

/* Checks a defined symbol. Requires: its section exists, or the symbol is common or absolute. In
 * executables, variables are not checked: their values need not be offsets in sections, and
 * st_other does not have their memory spaces. */
static void check_defined(struct elf_check *check, const struct symbol_location *location,
                          const struct elf_symbol *symbol)
{
    const struct elf_section *section = elf_check_section(check, symbol->section);
    bool is_relocatable = check->view->type != ET_EXEC;
    if (symbol->size >= ELF_LARGEST_MEMORY || symbol->value >= ELF_LARGEST_MEMORY)
        report_symbol(check, ELF_RULE_SYMBOL_SIZE, location, symbol->value);
    else if (section && location->which == VIEW_NATIVE && section->view == VIEW_MERCURY)
        report_symbol(check, ELF_RULE_SYMBOL_VIEW, location, symbol->section);
    else if (symbol->type == STT_FUNC)
        check_function(check, location, symbol, section);
    else if (is_relocatable && symbol->type != STT_SECTION)
        check_variable(check, location, symbol, section);
}

/* Returns true for valid common and absolute symbols. They must not be functions or section
 * symbols, and st_shndx must have the number, not the table of extended section indices. */
static bool has_special_section(const struct elf_symbol *symbol, uint16_t number)
{
    bool is_special = (number == SHN_COMMON && symbol->section == ELF_SECTION_COMMON) ||
                      (number == SHN_ABS && symbol->section == ELF_SECTION_ABSOLUTE);
    return is_special && symbol->type != STT_SECTION && symbol->type != STT_FUNC;
}

/* Returns true if the symbol is undefined but must be defined. Local functions, variables and
 * textures must be defined, because no other file can define them. Two local symbols may be
 * undefined. One is an untyped symbol without a name. The other is .nv.ptx.const0.size, whose value
 * is a size: its type is OBJECT in objects, and CUDA_OBJECT with internal visibility in outputs of
 * nvlink 13.0.88 -r. */
static bool needs_definition(const struct elf_check *check, const struct symbol_location *location,
                             const struct elf_symbol *symbol)
{
    if (symbol->binding != STB_LOCAL ||
        (symbol->section != SHN_UNDEF && symbol->section != ELF_SECTION_COMMON))
        return false;
    bool is_size =
        symbol->type == STT_CUDA_OBJECT && (symbol->other & STO_VISIBILITY) == STV_INTERNAL;
    if (symbol->type == STT_OBJECT)
        return !have_same_name(name_in_table(check, location->which, location->index),
                               ".nv.ptx.const0.size");
    return !is_size && (symbol->type == STT_FUNC || symbol->type >= STT_CUDA_TEXTURE);
}

/* Returns true if a relocatable file may have a symbol of this type. A link would treat a symbol of
 * any other type as a variable without a memory space. If another symbol had the same name, the
 * output could contain both. */
static bool is_known_type(uint8_t type)
{
    return type <= STT_FILE || (type >= STT_CUDA_TEXTURE && type <= STT_CUDA_OBJECT);
}

/* Checks the section of a symbol. If the section is valid, also checks the symbol's value, size and
 * memory space. The value of an undefined symbol is ignored: in outputs of nvlink 13.0.88 -r, all
 * bits of the value of externsharedinstance are set. */
static void check_symbol_section(struct elf_check *check, const struct symbol_location *location,
                                 const struct elf_symbol *symbol, uint16_t number)
{
    if (number == SHN_XINDEX && !check->view->extended_indices[location->which])
        report_symbol(check, ELF_RULE_SYMBOL_EXTENDED, location, number);
    else if (symbol->section >= check->view->section_count && !has_special_section(symbol, number))
        report_symbol(check, ELF_RULE_SYMBOL_SECTION, location, symbol->section);
    else if (needs_definition(check, location, symbol))
        report_symbol(check, ELF_RULE_SYMBOL_UNDEFINED, location, symbol->section);
    else if (symbol->section)
        check_defined(check, location, symbol);
    else if (symbol->size >= ELF_LARGEST_MEMORY)
        report_symbol(check, ELF_RULE_SYMBOL_SIZE, location, symbol->size);
}

/* Returns true for a local symbol that may follow global symbols in the symbol table. ELF requires
 * that local symbols precede them, but these tools break the rule:
 *   ptxas 12             writes the section symbols of parameter banks last, for sm_90 and later
 *   ptxas 13.4           writes an untyped symbol without a name last
 *   nvlink 13.4 and 13.5 write that symbol, too; they also make symbols of shared variables local
 *                        without moving them before the global symbols */
static bool may_follow_globals(const struct elf_check *check, const struct elf_symbol *symbol,
                               uint32_t name)
{
    const struct elf_view *view = check->view;
    bool has_section = symbol->section && symbol->section < view->section_count;
    if (symbol->type == STT_NOTYPE && !symbol->section && !name)
        return true;
    if (view->type != ET_EXEC)
        return symbol->type == STT_SECTION;
    return has_section && view->sections[symbol->section].type == SHT_NOBITS;
}

/* Checks st_other of a function: it must not have internal visibility or a memory space. This holds
 * for all of 5,300 functions that were checked. */
static void check_function_marks(struct elf_check *check, const struct symbol_location *location,
                                 const struct elf_symbol *function)
{
    if ((function->other & STO_VISIBILITY) == STV_INTERNAL)
        report_symbol(check, ELF_RULE_FUNCTION_VISIBILITY, location, function->other);
    if (function->other & STO_CUDA_SPACE)
        report_symbol(check, ELF_RULE_SYMBOL_SPACE, location, function->other);
}

static void check_symbol(struct elf_check *check, const struct symbol_location *location)
{
    const struct elf_symbol_table *table = &check->view->symbols[location->which];
    const uint8_t *entry = table->entries + (uint64_t)location->index * ELF_SYMBOL_SIZE;
    uint32_t name = load_u32(entry);
    if (name >= table->strings_size)
        report_symbol(check, ELF_RULE_SYMBOL_NAME, location, name);
    else if (!elf_check_afford_name(check, table->strings, table->strings_size, name,
                                    NAME_COST_SYMBOL))
        report_symbol(check, ELF_RULE_NAMES_TOTAL, location, name);
    struct elf_symbol symbol = elf_view_symbol(check->view, location->which, location->index);
    if (symbol.binding > STB_WEAK)
        report_symbol(check, ELF_RULE_SYMBOL_BINDING, location, symbol.binding);
    if (symbol.binding == STB_LOCAL &&
        location->index >= check->view->sections[location->table].info &&
        !may_follow_globals(check, &symbol, name))
        report_symbol(check, ELF_RULE_SYMBOL_LOCAL, location, location->index);
    if (symbol.type == STT_FUNC)
        check_function_marks(check, location, &symbol);
    else if (!is_known_type(symbol.type) && check->view->type != ET_EXEC)
        report_symbol(check, ELF_RULE_SYMBOL_TYPE, location, symbol.type);
    check_symbol_section(check, location, &symbol, load_u16(entry + 6));
}

void elf_check_symbol_tables(struct elf_check *check)
{
    for (int which = 0; which < VIEW_COUNT; which++) {
        const struct elf_symbol_table *table = &check->view->symbols[which];
        struct symbol_location location = {.which = which, .table = table->section, .index = 1};
        for (; location.index < table->count && !check->stopped; location.index++)
            check_symbol(check, &location);
    }
}
