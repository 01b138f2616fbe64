/* Checks the parts that compilers write for each function; see elf_check.h:
 *   - its code, and the names of its sections
 *   - the attribute records that each function must have, and those it may have only once
 *   - for a kernel, the constant bank with its parameters
 *
 * All objects of ptxas 13.0.88 and all outputs of nvlink 13.0.88 that were tried have these parts.
 * A link computes the needs of kernels from them; without them, the program would be wrong. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_check.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"

/* ---------------------------------------------------------------------------------------------- */
/* Code and names                                                                                 */

static bool begins_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* Returns true if the name begins with ".text.". Comparing letter by letter takes half of the
 * instructions that a call of strncmp takes. */
static inline bool is_name_of_code(const char *name)
{
    return name[0] == '.' && name[1] == 't' && name[2] == 'e' && name[3] == 'x' && name[4] == 't' &&
           name[5] == '.';
}

/* Returns the name that the section's native counterpart has. The name of a Mercury section is a
 * prefix and the name of its native counterpart. */
static const char *without_view(const struct elf_section *section)
{
    static const char *const PREFIXES[] = {".nv.merc", ".nv.capmerc"};
    if (section->view == VIEW_MERCURY)
        for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
            if (begins_with(section->name, PREFIXES[i]))
                return section->name + strlen(PREFIXES[i]);
    return section->name;
}

/* Returns the name of the section to which relocations apply, according to the name of the
 * relocation section. Returns NULL if that name does not begin with a known prefix. */
static const char *claimed_owner(const struct elf_section *relocations)
{
    static const char *const PREFIXES[] = {".rela", ".rel", ".nv.resolvedrela", ".nv.resolvedrel"};
    const char *name = without_view(relocations);
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (begins_with(name, PREFIXES[i]))
            return name + strlen(PREFIXES[i]);
    return NULL;
}

/* Reads only as much of the function's name as the section's name is long, because thousands of
 * sections can belong to one function with a long name. */
static bool ends_with(const char *name, const char *function)
{
    size_t size = strlen(name), ending = strnlen(function, size);
    return size > ending && name[size - ending - 1] == '.' &&
           !memcmp(name + size - ending, function, ending);
}

static bool is_named_after(const struct elf_section *relocations, const struct elf_section *owner)
{
    const char *claim = claimed_owner(relocations);
    return claim && !strcmp(claim, without_view(owner));
}

/* Compares the name of a section with the name of the code section that owns it. If the owner is
 * .text.F, the section's name must end with ".F". If the owner is the code of a stub, any name is
 * accepted, because the names have different ends: .nv.uft.rel.F owns .nv.info.__cuda_uf_stub_F. */
static bool is_named_after_function(const struct elf_section *section,
                                    const struct elf_section *owner)
{
    enum { PREFIX = sizeof ".text." - 1 };
    const char *name = without_view(owner);
    return !is_name_of_code(name) || ends_with(section->name, name + PREFIX);
}

static bool has_name_of_owner(const struct elf_check *check, const struct elf_section *section)
{
    const struct elf_section *owner = &check->view->sections[section->info];
    if (elf_section_is_relocation(section))
        return is_named_after(section, owner);
    return !(section->flags & SHF_INFO_LINK) || section->type == SHT_NOTE ||
           section->kind == INPUT_UNKNOWN || is_named_after_function(section, owner);
}

/* Returns true if the section's name has the form NAME#NUMBER, and NAME agrees with the owner's
 * name. In relocatable outputs of warpld, sections of attributes or relocations have such names if
 * an earlier section has the name NAME (link/layout/relocatable.c). */
__attribute__((cold)) static bool has_numbered_name(const struct elf_check *check,
                                                    const struct elf_section *section)
{
    const char *number = strrchr(section->name, '#');
    if (!number || number[1 + strspn(number + 1, "0123456789")])
        return false;
    struct elf_section unnumbered = *section;
    unnumbered.name =
        arena_copy_string(check->arena, section->name, (size_t)(number - section->name));
    return has_name_of_owner(check, &unnumbered);
}

void elf_check_owner_name(struct elf_check *check, const struct elf_section *section)
{
    if (!has_name_of_owner(check, section) && !has_numbered_name(check, section))
        elf_check_report(check, ELF_RULE_OWNER_NAME, section->index, 0, section->info);
}

void elf_check_owner_names(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    for (uint32_t i = 1; i < view->section_count && !check->stopped; i++)
        if (view->type == ET_EXEC || !elf_check_needs_name(check, &view->sections[i]))
            elf_check_owner_name(check, &view->sections[i]);
}

void elf_check_note_code(struct elf_check *check, const struct elf_section *code)
{
    if (!elf_view_is_slots(check->view, code) && check->code_count++ < ELF_CHECK_FEW_CODES)
        check->codes[check->code_count - 1] = code->index;
}

/* Returns true if a function's native code can have this size. From sm_70 on, each instruction has
 * 16 bytes. Up to sm_62 it has 8 bytes, but ptxas pads the code to a multiple of 32. nvlink 13.0.88
 * does not check the size. */
static bool is_size_of_code(uint64_t size)
{
    return size && size % NATIVE_INSTRUCTION_SIZE == 0;
}

static void check_code(struct elf_check *check, const struct elf_section *code, uint32_t index)
{
    struct elf_symbol function = elf_view_symbol(check->view, (enum code_view)code->view, index);
    const char *name = without_view(code);
    if (!is_name_of_code(name) || strcmp(name + sizeof ".text." - 1, function.name) != 0)
        elf_check_report(check, ELF_RULE_CODE_NAME, code->index, 0, index);
    if (code->type == SHT_PROGBITS && (function.size != code->size || !is_size_of_code(code->size)))
        elf_check_report(check, ELF_RULE_CODE_SIZE, code->index, index, function.size);
}

/* ---------------------------------------------------------------------------------------------- */
/* Records that a function has once                                                               */

enum {
    HAS_REGISTERS = 1,
    HAS_FRAME = 2,
    HAS_MINIMUM_STACK = 4,
    HAS_MAXIMUM_STACK = 8,
    IS_DEVICE_FUNCTION = 16 /* code calls it or takes its address; set only for executables */
};

static const uint8_t RECORD_MARKS[INFO_CODE_COUNT] = {
    [EIATTR_REGCOUNT] = HAS_REGISTERS,
    [EIATTR_FRAME_SIZE] = HAS_FRAME,
    [EIATTR_MIN_STACK_SIZE] = HAS_MINIMUM_STACK,
    [EIATTR_MAX_STACK_SIZE] = HAS_MAXIMUM_STACK,
};

static uint8_t *records_of(struct elf_check *check, enum code_view which)
{
    if (!check->function_records[which])
        check->function_records[which] =
            ARENA_ARRAY(check->arena, uint8_t, check->view->symbols[which].count);
    return check->function_records[which];
}

/* Returns true if the symbol is a function that this file defines. Only the file that defines a
 * function may have records of it: a link copies the records of all files, so the output would have
 * several. */
static inline bool is_defined_function(const struct elf_check *check, enum code_view which,
                                       uint32_t symbol)
{
    const uint8_t *entry = check->view->symbols[which].entries + (uint64_t)symbol * ELF_SYMBOL_SIZE;
    return (entry[4] & 15) == STT_FUNC && load_u16(entry + 6) != SHN_UNDEF;
}

/* Returns true for a MIN_STACK_SIZE record that must not be in an object, because only linkers
 * write it: the link adds one for each kernel, so the output would have two. Objects may have the
 * record only with the value "unknown" (all bits set), which compilers write in whole programs for
 * recursive kernels. A link drops records with this value. */
static bool is_linkers_stack(const struct elf_check *check, const struct info_record *record)
{
    enum { STACK = 1, LEAST = 8 };
    return check->view->type != ET_EXEC &&
           (record->value < LEAST || info_record_word(record, STACK) != UINT32_MAX);
}

/* Returns true if the record is about one function, but the attribute section belongs to the code
 * of another. nvlink 13.0.88 accepts such a record, but loses it if the other function is discarded
 * (golden link resources-in-other-sections). */
static bool is_of_another(const struct elf_check *check, const struct elf_section *section,
                          uint32_t symbol)
{
    enum code_view which = (enum code_view)section->view;
    return section->info && check->view->type == ET_REL &&
           elf_view_symbol(check->view, which, symbol).section != section->info;
}

/* Reports each rule that the record breaks. `marks` has a bit for each kind of record that the
 * function has before this record. */
__attribute__((cold)) static void report_record(struct elf_check *check,
                                                const struct elf_section *section, uint64_t index,
                                                const struct info_record *record, unsigned marks)
{
    unsigned mark = RECORD_MARKS[record->code];
    uint32_t symbol = info_record_word(record, 0);
    if (!is_defined_function(check, (enum code_view)section->view, symbol))
        elf_check_report(check, ELF_RULE_ATTRIBUTE_NOT_FUNCTION, section->index, index, symbol);
    else if (is_of_another(check, section, symbol))
        elf_check_report(check, ELF_RULE_ATTRIBUTE_OWNER, section->index, index, symbol);
    if (marks & mark)
        elf_check_report(check, ELF_RULE_ATTRIBUTE_REPEATED, section->index, index, symbol);
    if (mark == HAS_MINIMUM_STACK && is_linkers_stack(check, record))
        elf_check_report(check, ELF_RULE_ATTRIBUTE_OF_LINKER, section->index, index, symbol);
}

/* Checks a record, and adds its kind to records[symbol]. One condition finds out whether any rule
 * can be broken. Only then report_record tests each rule, which halves the number of instructions
 * for a correct record. */
static void check_record(struct elf_check *check, const struct elf_section *section, uint64_t index,
                         const struct info_record *record, uint8_t *records)
{
    unsigned mark = RECORD_MARKS[record->code];
    uint32_t symbol = info_record_word(record, 0);
    unsigned marks = records[symbol];
    records[symbol] = (uint8_t)(marks | mark);
    if (!is_defined_function(check, (enum code_view)section->view, symbol) || marks & mark ||
        mark == HAS_MINIMUM_STACK || section->info)
        report_record(check, section, index, record, marks);
}

__attribute__((noinline)) static void check_first_record(struct elf_check *check,
                                                         const struct elf_section *section,
                                                         uint64_t index,
                                                         const struct info_record *record)
{
    check_record(check, section, index, record, records_of(check, (enum code_view)section->view));
}

void elf_check_function_record(struct elf_check *check, const struct elf_section *section,
                               uint64_t index, const struct info_record *record)
{
    if (!RECORD_MARKS[record->code])
        return;
    uint8_t *records = check->function_records[section->view];
    if (records)
        check_record(check, section, index, record, records);
    else
        check_first_record(check, section, index, record);
}

void elf_check_note_reference(struct elf_check *check, const struct elf_section *callgraph,
                              struct elf_pair pair, int32_t heading)
{
    enum code_view view = (enum code_view)callgraph->view;
    uint32_t function = heading == CALLGRAPH_CALLS ? (uint32_t)pair.second : pair.first;
    bool refers = heading == CALLGRAPH_CALLS || heading == CALLGRAPH_ADDRESS_TAKEN;
    if (refers && check->is_strict && check->view->type == ET_EXEC &&
        function < check->view->symbols[view].count)
        records_of(check, view)[function] |= IS_DEVICE_FUNCTION;
}

/* Returns true if the function is a kernel of an executable and lacks its MIN_STACK_SIZE record. A
 * linker writes this record for each kernel. A kernel to which device code refers may lack the
 * record: nvlink 13.0.88 treats it as a device function if options or host code request only other
 * kernels. */
static bool lacks_stack_size(const struct elf_check *check, const struct elf_section *code,
                             uint32_t function, unsigned records)
{
    return check->view->type == ET_EXEC && !(records & (HAS_MINIMUM_STACK | IS_DEVICE_FUNCTION)) &&
           elf_view_symbol(check->view, (enum code_view)code->view, function).other &
               STO_CUDA_ENTRY;
}

static void check_function(struct elf_check *check, const struct elf_section *code)
{
    uint32_t function = code->info & ELF_CODE_SYMBOL_MASK;
    unsigned records = records_of(check, (enum code_view)code->view)[function];
    if (!(records & HAS_REGISTERS))
        elf_check_report(check, ELF_RULE_NO_REGISTER_COUNT, code->index, function, 0);
    if (!(records & HAS_FRAME))
        elf_check_report(check, ELF_RULE_NO_FRAME_SIZE, code->index, function, 0);
    if (lacks_stack_size(check, code, function, records))
        elf_check_report(check, ELF_RULE_NO_STACK_SIZE, code->index, function, 0);
    check_code(check, code, function);
}

/* Checks the function of each code section. Function symbols are not scanned, because that would
 * include aliases: they have no code and need no records. */
void elf_check_functions(struct elf_check *check)
{
    const struct elf_view *view = check->view;
    if (check->code_count <= ELF_CHECK_FEW_CODES) {
        for (uint32_t i = 0; i < check->code_count; i++)
            check_function(check, &view->sections[check->codes[i]]);
        return;
    }
    for (uint32_t i = 1; i < view->section_count && !check->stopped; i++)
        if (elf_section_is_code(&view->sections[i]) && !elf_view_is_slots(view, &view->sections[i]))
            check_function(check, &view->sections[i]);
}

/* ---------------------------------------------------------------------------------------------- */
/* Parameters                                                                                     */

/* Returns true if the section is a constant bank with parameters. In relocatable objects its type
 * shows this, and elf_check_kinds.c compares the type with the name. In executables its type is
 * PROGBITS, so the name decides. */
static bool is_parameter_bank(const struct elf_check *check, const struct elf_section *section)
{
    return section->type == SHT_CUDA_CONSTANT0 ||
           (check->view->type == ET_EXEC && begins_with(section->name, ".nv.constant0."));
}

/* Checks a PARAM_CBANK record, which has the offset and the size of a kernel's parameters in
 * constant bank 0. The record refers to the section of the bank by its section symbol. This section
 * is native, even for a record of the Mercury view. Its owner is not compared in executables: in
 * outputs of nvlink 13.0.88, static kernels with the same name share one section. */
void elf_check_parameter_bank(struct elf_check *check, const struct elf_section *section,
                              uint64_t index, const struct info_record *record)
{
    enum code_view which = (enum code_view)section->view;
    struct elf_symbol symbol = elf_view_symbol(check->view, which, info_record_word(record, 0));
    const struct elf_section *bank = elf_check_section(check, symbol.section);
    bool is_of_owner = bank && (bank->view != section->view || bank->info == section->info ||
                                check->view->type == ET_EXEC);
    uint32_t range = info_record_word(record, 1);
    uint64_t end = (range & 0xffff) + (range >> 16);
    bool is_bank = is_of_owner && symbol.type == STT_SECTION && is_parameter_bank(check, bank);
    if (!is_bank || bank->size < end)
        elf_check_report(check, is_bank ? ELF_RULE_PARAMETER_BANK_SIZE : ELF_RULE_NO_PARAMETER_BANK,
                         section->index, index, is_bank ? end : symbol.section);
}
