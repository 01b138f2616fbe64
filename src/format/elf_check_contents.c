/* Checks the contents of sections: relocations, call graph, notes, unified tables; see elf_check.h.
 * elf_check_attributes.c has the checks of attributes. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_check.h"
#include "format/elf_view.h"
#include "format/function_data.h"
#include "format/note.h"
#include "format/relocation.h"
#include "format/section_type.h"

/* ---------------------------------------------------------------------------------------------- */
/* Relocations */

/* Reports a relocation whose type does not exist in the section's view. If the type exists in the
 * other view, the file can be linked with a warning. An unknown type is damage: nvlink 13.0.88
 * crashes on such types (40 numbers tried). */
static void report_type(struct elf_check *check, const struct elf_section *section, uint32_t index,
                        const struct elf_relocation *relocation)
{
    enum code_view other = section->view == VIEW_MERCURY ? VIEW_NATIVE : VIEW_MERCURY;
    bool is_of_other = relocation_type_in_view(relocation->type, other);
    elf_check_report(check, is_of_other ? ELF_RULE_RELOCATION_VIEW : ELF_RULE_RELOCATION_TYPE,
                     section->index, index, relocation->type);
}

/* Returns true if the relocation may have the symbol index 0. ptxas writes relocations of classes
 * NONE and YIELD without a symbol. nvlink -r writes relocations without a symbol in debug
 * information about functions that it removed. */
static bool is_without_symbol(const struct elf_check *check, const struct elf_section *section,
                              const struct relocation_type *type)
{
    bool is_of_memory = check->view->sections[section->info].flags & SHF_ALLOC;
    return type->class == RELOCATION_NONE || type->class == RELOCATION_YIELD || !is_of_memory;
}

/* Checks that the relocation has a known type, a symbol if the type needs one, and a field inside
 * the section. `type` is NULL if the type does not exist in the section's view. */
__attribute__((noinline, cold)) static void
check_type(struct elf_check *check, const struct elf_section *section, uint32_t index,
           const struct elf_relocation *relocation, const struct relocation_type *type,
           uint64_t size)
{
    if (!type || type->class == RELOCATION_END)
        report_type(check, section, index, relocation);
    else if (!relocation->symbol && !is_without_symbol(check, section, type))
        elf_check_report(check, ELF_RULE_RELOCATION_NO_SYMBOL, section->index, index,
                         relocation->type);
    else if (size - relocation->offset < relocation_size(type))
        elf_check_report(check, ELF_RULE_RELOCATION_FIELD, section->index, index,
                         relocation->offset);
}

/* A fast filter for check_type. If this returns false, check_type would find no violation. */
static inline bool is_unusual(const struct elf_relocation *relocation,
                              const struct relocation_type *type, uint64_t size)
{
    return !type || !relocation->symbol || type->class == RELOCATION_END ||
           size - relocation->offset < RELOCATION_LARGEST_SIZE;
}

/* Checks one relocation. Returns true if its symbol exists, so that callers can read the symbol. */
static bool check_relocation(struct elf_check *check, const struct elf_section *section,
                             uint32_t index, const struct elf_relocation *relocation,
                             const struct relocation_type *type, uint64_t size)
{
    if (relocation->offset >= size)
        elf_check_report(check, ELF_RULE_RELOCATION_OFFSET, section->index, index,
                         relocation->offset);
    else if (is_unusual(relocation, type, size) && check->is_strict)
        check_type(check, section, index, relocation, type, size);
    if (relocation->symbol < elf_check_symbols(check, section)->count)
        return true;
    elf_check_report(check, ELF_RULE_RELOCATION_SYMBOL, section->index, index, relocation->symbol);
    return false;
}

static bool is_of_variable(uint8_t symbol_type)
{
    return symbol_type != STT_FUNC && symbol_type != STT_SECTION && symbol_type != STT_NOTYPE;
}

/* Returns true for memory, code and debug information, which are the sections that can have an
 * address. Requires: the section is native, because Mercury sections do not have separate kinds. */
static bool has_address(const struct elf_section *section)
{
    return section->kind != INPUT_OTHER && section->kind != INPUT_NOTES &&
           section->kind != INPUT_INFO && section->kind != INPUT_RELOCATIONS;
}

/* Checks a relocation whose symbol is a section symbol. The symbol's section must be in the same
 * view as the relocation. In the native view, it must be able to have an address. */
static void check_target(struct elf_check *check, const struct elf_section *section, uint32_t index,
                         uint32_t symbol)
{
    enum code_view which = (enum code_view)section->view;
    uint32_t number = elf_view_symbol(check->view, which, symbol).section;
    const struct elf_section *target = elf_check_section(check, number);
    if (!target || target->view != section->view ||
        (section->view == VIEW_NATIVE && !has_address(target)))
        elf_check_report(check, ELF_RULE_RELOCATION_TABLE, section->index, index, number);
}

/* Checks all relocations of a relocation section. Sets section->has_late_zeros, has_variables and
 * has_descriptors, so that later passes need not read the relocations. */
static void check_relocations(struct elf_check *check, struct elf_section *section)
{
    uint64_t size = elf_view_relocatable_size(check->view, &check->view->sections[section->info]);
    enum code_view which = (enum code_view)section->view;
    bool late_zeros = false, variables = false, descriptors = false;
    for (uint32_t i = 0; i < section->entry_count && !check->stopped; i++) {
        struct elf_relocation entry = elf_section_relocation(section, i);
        const struct relocation_type *type = relocation_type_in_view(entry.type, which);
        if (!check_relocation(check, section, i, &entry, type, size))
            continue;
        uint8_t symbol_type = elf_view_symbol_type(check->view, which, entry.symbol);
        if (symbol_type == STT_SECTION && check->is_strict)
            check_target(check, section, i, entry.symbol);
        late_zeros |= i && !entry.addend;
        variables |= is_of_variable(symbol_type);
        descriptors |= type && type->class == RELOCATION_DESCRIPTOR;
    }
    section->has_late_zeros = late_zeros;
    section->has_variables = variables;
    section->has_descriptors = descriptors;
}

/* ---------------------------------------------------------------------------------------------- */
/* Call graph and prototypes */

static bool is_function(const struct elf_check *check, const struct elf_section *section,
                        uint32_t symbol)
{
    const struct elf_symbol_table *table = elf_check_symbols(check, section);
    return symbol && symbol < table->count &&
           (table->entries[(uint64_t)symbol * ELF_SYMBOL_SIZE + 4] & 15) == STT_FUNC;
}

static void check_prototype(struct elf_check *check, const struct elf_section *section,
                            uint32_t index, int32_t offset, enum elf_rule rule)
{
    const struct elf_symbol_table *table = elf_check_symbols(check, section);
    if ((uint32_t)offset >= table->strings_size)
        elf_check_report(check, rule, section->index, index, (uint32_t)offset);
    else if (!elf_check_afford_name(check, table->strings, table->strings_size, (uint32_t)offset,
                                    NAME_COST_PROTOTYPE))
        elf_check_report(check, ELF_RULE_NAMES_TOTAL, section->index, index, (uint32_t)offset);
}

static void check_callgraph_pair(struct elf_check *check, const struct elf_section *section,
                                 uint32_t index, int32_t heading)
{
    struct elf_pair pair = elf_section_pair(section, index);
    if (!is_function(check, section, pair.first))
        elf_check_report(check, ELF_RULE_CALLGRAPH_SYMBOL, section->index, index, pair.first);
    if (heading == CALLGRAPH_ADDRESS_TAKEN || heading == CALLGRAPH_INDIRECT_CALLERS)
        check_prototype(check, section, index, pair.second, ELF_RULE_CALLGRAPH_STRING);
    else if (!is_function(check, section, (uint32_t)pair.second))
        elf_check_report(check, ELF_RULE_CALLGRAPH_SYMBOL, section->index, index,
                         (uint32_t)pair.second);
    elf_check_note_reference(check, section, pair, heading);
}

static void check_callgraph(struct elf_check *check, const struct elf_section *section)
{
    int32_t heading = 0;
    for (uint32_t i = 0; i < section->entry_count && !check->stopped; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        bool is_heading = !pair.first && pair.second < 0;
        if (!is_heading && !heading) {
            elf_check_report(check, ELF_RULE_CALLGRAPH_GROUP, section->index, i, pair.first);
            return;
        }
        if (!is_heading) {
            check_callgraph_pair(check, section, i, heading);
            continue;
        }
        bool is_known = pair.second >= -CALLGRAPH_GROUP_COUNT;
        if (!is_known || (check->is_strict && pair.second != heading - 1)) {
            elf_check_report(check,
                             is_known ? ELF_RULE_CALLGRAPH_HEADINGS : ELF_RULE_CALLGRAPH_HEADING,
                             section->index, i, (uint32_t)pair.second);
            return;
        }
        heading = pair.second;
    }
    if (check->is_strict && heading != -CALLGRAPH_GROUP_COUNT)
        elf_check_report(check, ELF_RULE_CALLGRAPH_HEADINGS, section->index, section->entry_count,
                         (uint32_t)heading);
}

static void check_prototypes(struct elf_check *check, const struct elf_section *section)
{
    for (uint32_t i = 0; i < section->entry_count && !check->stopped; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (!is_function(check, section, pair.first))
            elf_check_report(check, ELF_RULE_PROTOTYPE_SYMBOL, section->index, i, pair.first);
        check_prototype(check, section, i, pair.second, ELF_RULE_PROTOTYPE_STRING);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Notes and unified tables */

/* Returns true for a readable tool note, and for any tool note of another version. Notes of other
 * versions are in old objects, which the linker reports in a separate message. */
static bool tkinfo_is_good(const struct note *note)
{
    struct note_tkinfo tkinfo;
    return note_read_tkinfo(note, &tkinfo) ||
           (note->content.size >= 4 && load_u32(note->content.data) != NOTE_TKINFO_VERSION);
}

/* Returns true for a readable cuinfo note, unless its section has SHF_TKINFO_NOTE. A link copies
 * all notes of sections with this flag, so the output would have a second cuinfo note. */
static bool cuinfo_is_good(const struct elf_section *section, const struct note *note)
{
    struct note_cuinfo cuinfo;
    return note_read_cuinfo(note, &cuinfo) && !(section->flags & SHF_TKINFO_NOTE);
}

static void check_note(struct elf_check *check, const struct elf_section *section, uint64_t index,
                       const struct note *note)
{
    if (!note_is_vendors(note)) {
        elf_check_report(check, ELF_RULE_NOTE_VENDOR, section->index, index, note->name.size);
        return;
    }
    if (note->type == NT_CUINFO && !cuinfo_is_good(section, note))
        elf_check_report(check, ELF_RULE_NOTE_CUINFO, section->index, index, note->content.size);
    if (note->type == NT_TKINFO && !tkinfo_is_good(note))
        elf_check_report(check, ELF_RULE_NOTE_TKINFO, section->index, index, note->content.size);
}

static void check_notes(struct elf_check *check, const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct note note;
    uint64_t index = 0;
    for (; !check->stopped && note_next(&rest, &note); index++)
        check_note(check, section, index, &note);
    if (rest.size)
        elf_check_report(check, ELF_RULE_NOTE_CUT, section->index, index, rest.size);
}

/* Checks the symbol index of each entry. The indices refer to the symbol table of the section's
 * view. sh_link is ignored, because nvlink writes sh_link 0 for .nv.uft.entry. */
static void check_unified_entries(struct elf_check *check, const struct elf_section *section)
{
    uint32_t symbol_count = elf_check_symbols(check, section)->count;
    for (uint32_t i = 0; i < section->entry_count && !check->stopped; i++) {
        uint32_t symbol = load_u32(section->data + (uint64_t)i * ELF_UNIFIED_ENTRY_SIZE);
        if (symbol >= symbol_count)
            elf_check_report(check, ELF_RULE_UNIFIED_SYMBOL, section->index, i, symbol);
    }
}

static bool is_good_text(struct elf_check *check, const struct elf_symbol_table *table,
                         uint32_t offset)
{
    return offset < table->strings_size &&
           elf_check_afford_name(check, table->strings, table->strings_size, offset,
                                 NAME_COST_PROTOTYPE);
}

static bool is_good_record(struct elf_check *check, const struct elf_symbol_table *table,
                           const struct function_data *record)
{
    if (record->symbol >= table->count || !is_good_text(check, table, record->name))
        return false;
    for (uint32_t i = 0; i < record->count; i++) {
        struct elf_pair pair = function_data_pair(record, i);
        if (pair.first == FUNCTION_DATA_TEXT && !is_good_text(check, table, (uint32_t)pair.second))
            return false;
    }
    return true;
}

static void check_function_data(struct elf_check *check, const struct elf_section *section)
{
    const struct elf_symbol_table *table = elf_check_symbols(check, section);
    struct bytes rest = {section->data, section->size};
    struct function_data record;
    bool is_good = true;
    uint64_t count = 0;
    for (; is_good && function_data_next(&rest, &record); count++)
        is_good = is_good_record(check, table, &record);
    if (!is_good || rest.size)
        elf_check_report(check, ELF_RULE_FUNCTION_DATA, section->index, count, rest.size);
}

/* Kinds of sections, as bits, whose contents a link copies without interpreting them. So the
 * contents are not checked. */
enum {
    COPIED_KINDS = 1 << INPUT_TEXT | 1 << INPUT_CONSTANT_USER | 1 << INPUT_CONSTANT_ENTRY |
                   1 << INPUT_GLOBAL | 1 << INPUT_GLOBAL_INIT | 1 << INPUT_SHARED_ENTRY |
                   1 << INPUT_SHARED_FILE | 1 << INPUT_LOCAL | 1 << INPUT_DEBUG
};

static void check_section_contents(struct elf_check *check, struct elf_section *section)
{
    switch (section_type_form(section->type)) {
    case FORM_ATTRIBUTES:
        elf_check_attributes(check, section);
        break;
    case FORM_COMPATIBILITY:
        elf_check_compatibility(check, section);
        break;
    case FORM_CALLGRAPH:
        check_callgraph(check, section);
        break;
    case FORM_PROTOTYPES:
        check_prototypes(check, section);
        break;
    case FORM_FUNCTION_DATA:
        check_function_data(check, section);
        break;
    case FORM_NOTES:
        if (elf_section_is_cuda_note(section))
            check_notes(check, section);
        break;
    case FORM_UNIFIED_ENTRIES:
        check_unified_entries(check, section);
        break;
    case FORM_REL:
    case FORM_RELA:
        check_relocations(check, section);
        break;
    default:
        break;
    }
}

static bool is_early(const struct elf_section *section)
{
    switch (section->type) {
    case SHT_CUDA_CALLGRAPH:
    case SHT_CUDA_PROTOTYPE:
    case SHT_CUDA_COMPAT:
    case SHT_CUDA_FUNCTION_DATA:
        return true;
    case SHT_CUDA_INFO:
        return section->has_fragments;
    default:
        return section->kind == INPUT_RELOCATIONS &&
               (section->has_variables || section->has_descriptors);
    }
}

/* Capacity of the stack array in which elf_check_contents collects elf_view.early_sections. The
 * indices are copied to the arena when the array is full, or else at the end. Most objects need a
 * third of the array. */
enum { FEW_EARLY_SECTIONS = 32 };

static void add_early_section(struct elf_check *check, uint32_t *few, uint32_t index)
{
    struct elf_view *view = check->view;
    if (view->early_section_count == FEW_EARLY_SECTIONS) {
        view->early_sections = ARENA_ARRAY(check->arena, uint32_t, view->section_count);
        memcpy(view->early_sections, few, FEW_EARLY_SECTIONS * sizeof *few);
    }
    uint32_t *list = view->early_sections ? view->early_sections : few;
    list[view->early_section_count++] = index;
}

void elf_check_contents(struct elf_check *check)
{
    struct elf_view *view = check->view;
    uint32_t few[FEW_EARLY_SECTIONS];
    view->early_section_count = 0;
    for (uint32_t i = 1; i < view->section_count && !check->stopped; i++) {
        struct elf_section *section = &view->sections[i];
        if (COPIED_KINDS >> section->kind & 1)
            continue;
        check_section_contents(check, section);
        if (is_early(section))
            add_early_section(check, few, i);
    }
    if (check->is_strict && !elf_check_is_over(check))
        elf_check_functions(check);
    if (view->early_sections || !view->early_section_count)
        return;
    view->early_sections = ARENA_ARRAY(check->arena, uint32_t, view->early_section_count);
    memcpy(view->early_sections, few, view->early_section_count * sizeof *few);
}
