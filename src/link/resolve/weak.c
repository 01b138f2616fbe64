/* Decides which of several weak definitions of a function the program uses; see weak.h.
 * pass_resolve calls these functions.
 *
 * The facts that are compared are read from an object only once, for all of its functions: when the
 * first of these functions turns out to have another copy. So linking many copies takes linear
 * time. */
#include "link/resolve/weak.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/symbols.h"

static void read_register_counts(struct input_object *object, const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        if (record.code != EIATTR_REGCOUNT || record.format != INFO_FORMAT_SIZED ||
            record.value < 8)
            continue;
        struct weak_facts *facts = &object->weak_facts[info_record_word(&record, 0)];
        if (!facts->registers) /* nvlink uses the first of several records here (observed) */
            facts->registers = info_record_word(&record, 1);
    }
}

/* Stores the size of a kernel's parameter bank by the index of the kernel's symbol, because the
 * symbol may not be resolved yet. */
static void read_parameter_size(struct input_object *object, const struct elf_section *section)
{
    uint32_t index = 0;
    if (section_type_constant_bank(section->type) == 0)
        input_section_function(object, section, &index);
    object->weak_facts[index].parameter_bank = section->size;
}

/* Records whether the code of a function has relocations in either view. Mercury code can have
 * relocations although native code has none (observed with code that refers only to the size of the
 * reserved memory). */
static void note_relocated_code(struct input_object *object, const struct elf_section *section)
{
    const struct elf_section *target = &object->elf.sections[section->info];
    uint32_t index = 0;
    if (target->type == SHT_MERCURY_CODE && object->other_view)
        target = &object->elf.sections[object->other_view[target->index]];
    if (!section->entry_count || input_section_kind(target) != INPUT_TEXT)
        return;
    input_section_function(object, target, &index);
    object->weak_facts[index].relocated = true;
}

static const struct weak_facts *facts(link_context *link, struct input_object *object,
                                      uint32_t index)
{
    if (!object->weak_facts) {
        object->weak_facts =
            ARENA_ARRAY(&link->arena, struct weak_facts, object->elf.symbols[VIEW_NATIVE].count);
        for (uint32_t i = 1; i < object->elf.section_count; i++) {
            const struct elf_section *section = &object->elf.sections[i];
            if (input_section_kind(section) == INPUT_INFO)
                read_register_counts(object, section);
            else if (input_section_kind(section) == INPUT_CONSTANT_ENTRY)
                read_parameter_size(object, section);
            else if (input_section_kind(section) == INPUT_RELOCATIONS ||
                     (section->type == SHT_MERCURY_RELA && object->other_view))
                note_relocated_code(object, section);
        }
    }
    return &object->weak_facts[index];
}

/* Returns the register count in sh_info of the code section. Compilers write it there for targets
 * before sm_90. */
static uint32_t code_registers(const struct input_object *object, uint32_t index)
{
    const struct elf_view *elf = &object->elf;
    uint32_t section = elf_view_symbol(elf, VIEW_NATIVE, index).section;
    return section < elf->section_count ? elf->sections[section].info >> ELF_CODE_REGISTERS_SHIFT
                                        : 0;
}

static void trace_counts(link_context *link, const struct symbol *symbol,
                         const struct input_object *object, uint32_t index)
{
    const char *name = symbol_name(symbol);
    if (!code_registers(object, index))
        TRACE(&link->trace, TRACE_NEW_COUNT_MISSING, name);
    if (!code_registers(symbol->object, symbol->input_index))
        TRACE(&link->trace, TRACE_OLD_COUNT_MISSING, name);
}

/* Returns the register count that is compared: the count in the code section or, if this is 0, the
 * count in the records. From sm_90 on, compilers write 0 in the code section (observed with all 81
 * pairs of copies that have 0, 10 or 30 in the section, and no record or one of 20 or 40).
 * nvJitLink 12.9 reads only the code section, so that from sm_90 on all counts are equal for it. */
static uint32_t compared_registers(link_context *link, struct input_object *object, uint32_t index)
{
    uint32_t of_code = code_registers(object, index);
    return of_code || link_writes_abi_12(link) ? of_code : facts(link, object, index)->registers;
}

/* Whether a new copy wins. The copy with fewer registers is used. If the counts are equal, the copy
 * with the higher virtual SM is used, or else the earlier copy.
 *
 * The virtual SM of the new copy is compared with that of the first copy, even if a later copy has
 * superseded the first one. For example, of three copies with 44, 24 and 24 registers for the
 * virtual SMs 75, 90 and 90, the third is used (observed). */
bool weak_function_wins(link_context *link, const struct symbol *symbol,
                        struct input_object *object, uint32_t index)
{
    uint32_t held = compared_registers(link, symbol->object, symbol->input_index);
    uint32_t offered = compared_registers(link, object, index);
    trace_counts(link, symbol, object, index);
    if (held != offered)
        return offered < held;
    return object->virtual_sm > symbol->function->first_virtual_sm;
}

void weak_check_parameters(link_context *link, const struct symbol *symbol,
                           struct input_object *object, uint32_t index)
{
    if (link_has_mercury(link))
        return; /* nvlink generates the bank and does not compare sizes */
    if (facts(link, symbol->object, symbol->input_index)->parameter_bank !=
        facts(link, object, index)->parameter_bank)
        object->weak_facts[index].parameters_differ = true;
}

void weak_report_parameters(link_context *link, struct input_object *object, uint32_t section)
{
    if (section >= object->elf.section_count ||
        section_type_constant_bank(object->elf.sections[section].type) != 0)
        return;
    uint32_t index = 0;
    input_section_function(object, &object->elf.sections[section], &index);
    if (!object->weak_facts[index].parameters_differ)
        return;
    object->weak_facts[index].parameters_differ = false;
    const char *name = symbol_name(object->symbols[index]);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_PARAMETER_BANK_MISMATCH, object->name, name,
                      name);
}

/* Records in which objects nvlink ignores relocations that refer to the function.
 *
 * If the code of an earlier accepted copy has relocations, nvlink ignores relocations of debug data
 * that refer to the function, in the objects read so far:
 *
 *   - all those in .rela sections
 *   - those in .rel sections, if the output got a .rela section first. This happens if the first
 *     object was linked with --force-rela.
 *
 * This was observed with 18 orders of plain and pre-linked objects, and with 180 random programs.
 *
 * Objects for targets before sm_90 have .rel sections for all relocations except UNUSED_CLEAR. So
 * the debug data of superseded copies from such objects still refers to the function. If the
 * function is removed, the size fields in its frame descriptions are cleared. This includes the
 * frame descriptions of superseded copies, but only if no copy's code has relocations (observed
 * with nvlink 13.0.88 in 200 links of two to four copies for sm_80 and sm_90: live and dead
 * functions and kernels, with and without -lineinfo and -g). */
void weak_supersede(link_context *link, struct symbol *symbol, const struct input_object *object)
{
    struct function *function = symbol->function;
    if (!facts(link, symbol->object, symbol->input_index)->relocated &&
        !function_rare(function)->has_relocated_copy)
        return;
    struct rare_function *rare = function_add_rare(link, function);
    rare->has_relocated_copy = true;
    rare->forgotten_before = object->position;
}

/* Whether the section is a debug section in which data about a function describes only the copy
 * in the same object. .debug_info and .debug_loc are not such sections: the output keeps their
 * contents for all copies (observed in 24 links of objects compiled with -G for sm_80 and
 * sm_90). */
bool weak_section_follows_copy(const struct elf_section *section)
{
    static const char *const NAMES[] = {".debug_frame", ".debug_line", ".nv_debug_line_sass"};
    if (input_section_kind(section) != INPUT_DEBUG)
        return false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(section->name, NAMES[i]) == 0)
            return true;
    return false;
}
