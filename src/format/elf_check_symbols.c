/* The rules of symbol tables; see elf_check.h. */
#include "format/elf_check.h"

/* ---------------------------------------------------------------------------------------------- */
/* Which tables there are */

static void find_symbol_table(struct elf_check *check, const struct elf_section *section)
{
    struct elf_symbol_table *table = &check->view->symbols[section->view];
    const struct elf_section *strings = elf_check_section(check, section->link);
    if (table->section) {
        elf_check_report(check, ELF_RULE_SYMTAB_DUPLICATE, section->index, 0, table->section);
        return;
    }
    table->section = section->index;
    if (!strings || strings->type != SHT_STRTAB) {
        elf_check_report(check, ELF_RULE_LINK_KIND, section->index, 0, section->link);
        return;
    }
    table->entries = section->data;
    table->count = section->entry_count;
    table->strings = (const char *)strings->data;
    table->strings_size = strings->size;
    if (section->info > section->entry_count)
        elf_check_report(check, ELF_RULE_FIRST_GLOBAL, section->index, 0, section->info);
    static const uint8_t NULL_SYMBOL[ELF_SYMBOL_SIZE];
    if (!table->count || memcmp(table->entries, NULL_SYMBOL, sizeof NULL_SYMBOL) != 0)
        elf_check_report(check, ELF_RULE_NULL_SYMBOL, section->index, 0, 0);
}

static void find_extended_indices(struct elf_check *check, const struct elf_section *section)
{
    struct elf_view *view = check->view;
    const struct elf_symbol_table *table = &view->symbols[section->view];
    if (view->extended_indices[section->view])
        elf_check_report(check, ELF_RULE_EXTENDED_DUPLICATE, section->index, 0, 0);
    else if (!section->link || section->link != table->section)
        elf_check_report(check, ELF_RULE_LINK_KIND, section->index, 0, section->link);
    else if (section->entry_count != table->count)
        elf_check_report(check, ELF_RULE_EXTENDED_SIZE, section->index, 0, section->entry_count);
    else
        view->extended_indices[section->view] = section->data;
}

void elf_check_find_tables(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    for (uint32_t i = 1; i < view->section_count; i++)
        if (view->sections[i].type == SHT_SYMTAB || view->sections[i].type == SHT_MERCURY_SYMTAB)
            find_symbol_table(check, &view->sections[i]);
    if (!view->symbols[VIEW_NATIVE].section)
        elf_check_report(check, ELF_RULE_SYMTAB_MISSING, 0, 0, 0);
    for (uint32_t i = 1; i < view->section_count && !check->failed; i++)
        if (view->sections[i].type == SHT_SYMTAB_SHNDX)
            find_extended_indices(check, &view->sections[i]);
}

/* ---------------------------------------------------------------------------------------------- */
/* Symbols */

struct symbol_place {
    enum code_view which;
    uint32_t table; /* section index */
    uint32_t index; /* of the symbol */
};

static void report_symbol(struct elf_check *check, enum elf_rule rule,
                          const struct symbol_place *place, uint64_t value)
{
    elf_check_report(check, rule, place->table, place->index, value);
}

/* Shared memory is laid out by the linker: in a relocatable file the value of a shared symbol is
 * its alignment (observed by varying .align), and the section is shorter than all of them together.
 */
static bool is_shared_memory(const struct elf_section *section)
{
    return section->type == SHT_CUDA_SHARED || section->type == SHT_CUDA_SHARED_RESERVED;
}

/* Functions of the Mercury view give the size of their expanded code. */
static bool size_is_bounded_by_section(const struct elf_symbol *symbol,
                                       const struct elf_section *section)
{
    if (symbol->type == STT_FUNC)
        return section->view == VIEW_NATIVE;
    return symbol->type == STT_OBJECT || symbol->type == STT_CUDA_OBJECT;
}

/* The symbol's section exists. Only relocatable files are held to the sizes: in executables the
 * addresses are no longer offsets everywhere. */
static void check_symbol_extent(struct elf_check *check, const struct symbol_place *place,
                                const struct elf_symbol *symbol)
{
    const struct elf_section *section = &check->view->sections[symbol->section];
    if (place->which == VIEW_NATIVE && section->view == VIEW_MERCURY)
        report_symbol(check, ELF_RULE_SYMBOL_VIEW, place, symbol->section);
    if (symbol->type == STT_FUNC && !elf_section_is_code(section))
        report_symbol(check, ELF_RULE_SYMBOL_FUNCTION, place, symbol->section);
    if (check->view->type == ET_EXEC)
        return;
    if (is_shared_memory(section)) {
        if (symbol->value > ELF_LARGEST_ALIGNMENT)
            report_symbol(check, ELF_RULE_SYMBOL_SIZE, place, symbol->value);
    } else if (size_is_bounded_by_section(symbol, section) &&
               (symbol->value > section->size || symbol->size > section->size - symbol->value)) {
        report_symbol(check, ELF_RULE_SYMBOL_OUTSIDE, place, symbol->value);
    }
}

/* The value of a common symbol is its alignment. That of an undefined symbol means nothing: the
 * externsharedinstance of nvlink 13.0.88 -r has all ones. */
static bool size_is_sane(const struct elf_symbol *symbol, bool is_common)
{
    if (symbol->size >= ELF_LARGEST_MEMORY)
        return false;
    if (is_common)
        return symbol->value <= ELF_LARGEST_ALIGNMENT;
    return !symbol->section || symbol->value < ELF_LARGEST_MEMORY;
}

static void check_symbol_section(struct elf_check *check, const struct symbol_place *place,
                                 const struct elf_symbol *symbol, uint16_t number)
{
    const struct elf_view *view = check->view;
    if (number == SHN_XINDEX && !view->extended_indices[place->which]) {
        report_symbol(check, ELF_RULE_SYMBOL_EXTENDED, place, number);
        return;
    }
    bool is_common = number == SHN_COMMON && symbol->section == ELF_SECTION_COMMON;
    if (!size_is_sane(symbol, is_common))
        report_symbol(check, ELF_RULE_SYMBOL_SIZE, place, symbol->value);
    bool is_nowhere = is_common || (number == SHN_ABS && symbol->section == ELF_SECTION_ABSOLUTE);
    bool has_section = symbol->type == STT_SECTION || symbol->type == STT_FUNC;
    if (is_nowhere && !has_section)
        return;
    bool is_reserved = number >= SHN_LORESERVE && number != SHN_XINDEX && !has_section;
    if (is_reserved || symbol->section >= view->section_count)
        report_symbol(check, ELF_RULE_SYMBOL_SECTION, place, symbol->section);
    else if (symbol->section)
        check_symbol_extent(check, place, symbol);
}

static void check_symbol(struct elf_check *check, const struct symbol_place *place)
{
    const struct elf_symbol_table *table = &check->view->symbols[place->which];
    const uint8_t *entry = table->entries + (uint64_t)place->index * ELF_SYMBOL_SIZE;
    uint32_t name = load_u32(entry);
    if (name >= table->strings_size)
        report_symbol(check, ELF_RULE_SYMBOL_NAME, place, name);
    else if (!elf_check_afford_name(check, table->strings, table->strings_size, name))
        report_symbol(check, ELF_RULE_NAMES_TOTAL, place, name);
    struct elf_symbol symbol = elf_view_symbol(check->view, place->which, place->index);
    if (symbol.binding > STB_WEAK)
        report_symbol(check, ELF_RULE_SYMBOL_BINDING, place, symbol.binding);
    if (symbol.binding == STB_LOCAL && place->index >= check->view->sections[place->table].info)
        report_symbol(check, ELF_RULE_SYMBOL_LOCAL, place, place->index);
    check_symbol_section(check, place, &symbol, load_u16(entry + 6));
}

void elf_check_symbol_tables(struct elf_check *check)
{
    for (int which = 0; which < VIEW_COUNT; which++) {
        const struct elf_symbol_table *table = &check->view->symbols[which];
        struct symbol_place place = {.which = which, .table = table->section, .index = 1};
        for (; place.index < table->count && !check->stopped; place.index++)
            check_symbol(check, &place);
    }
}
