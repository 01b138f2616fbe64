/* Checks what compilers write for each function: its code, the names of its sections, the records
 * that each function has once, and the constant bank of a kernel's parameters; see elf_check.h.
 *
 * All objects of ptxas 13.0.88 and all outputs of nvlink 13.0.88 that were tried have these parts.
 * A link reads them to find out what a kernel needs, so it would make a wrong program without
 * them. */
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

/* Compares letter by letter, which takes half of the instructions that a call of strncmp takes. */
static inline bool is_name_of_code(const char *name)
{
    return name[0] == '.' && name[1] == 't' && name[2] == 'e' && name[3] == 'x' && name[4] == 't' &&
           name[5] == '.';
}

/* Sections of the Mercury view have the names of the native ones after a prefix. */
static const char *without_view(const struct elf_section *section)
{
    static const char *const PREFIXES[] = {".nv.merc", ".nv.capmerc"};
    if (section->view == VIEW_MERCURY)
        for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
            if (begins_with(section->name, PREFIXES[i]))
                return section->name + strlen(PREFIXES[i]);
    return section->name;
}

/* The name of the section that a list of relocations applies to, according to the name of the list;
 * NULL if the list has no such name. */
static const char *claimed_owner(const struct elf_section *relocations)
{
    static const char *const PREFIXES[] = {".rela", ".rel", ".nv.resolvedrela", ".nv.resolvedrel"};
    const char *name = without_view(relocations);
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (begins_with(name, PREFIXES[i]))
            return name + strlen(PREFIXES[i]);
    return NULL;
}

static bool ends_with(const char *name, const char *function)
{
    size_t size = strlen(name), ending = strlen(function);
    return size > ending && name[size - ending - 1] == '.' &&
           !memcmp(name + size - ending, function, ending);
}

static bool is_named_after(const struct elf_section *relocations, const struct elf_section *owner)
{
    const char *claim = claimed_owner(relocations);
    return claim && !strcmp(claim, without_view(owner));
}

/* Compares the name of a section with that of the code section that owns it: a section of .text.F
 * must have a name that ends with ".F". Sections of stubs are not compared, because their names
 * have another form: .nv.uft.rel.F owns .nv.info.__cuda_uf_stub_F. */
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

/* Whether the section has the name of its owner, followed by a number. In relocatable outputs of
 * this linker, a list of attributes or relocations that would have the name of an earlier list is
 * named NAME#NUMBER (link/layout/relocatable.c). */
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

/* The size of native code is a multiple of 16. From sm_70 on an instruction has 16 bytes. Up to
 * sm_62 it has 8, but ptxas fills blocks of 32. nvlink 13.0.88 links code of any size. */
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
    IS_DEVICE_FUNCTION = 16 /* other functions call it or take its address; only in executables */
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

/* Only the object that defines a function may have records of it. A link writes the records of all
 * objects, so records in other objects would be in the output, too. */
static inline bool is_defined_function(const struct elf_check *check, enum code_view which,
                                       uint32_t symbol)
{
    const uint8_t *entry = check->view->symbols[which].entries + (uint64_t)symbol * ELF_SYMBOL_SIZE;
    return (entry[4] & 15) == STT_FUNC && load_u16(entry + 6) != SHN_UNDEF;
}

/* Whether a MIN_STACK_SIZE record is one that only a linker writes. Compilers write this record
 * only in whole programs, where the value "unknown" (all bits set) marks a kernel that recurses. A
 * link drops records with this value, and adds its own record of each kernel. So an object's record
 * with another value would be the first of two in the output. */
static bool is_linkers_stack(const struct elf_check *check, const struct info_record *record)
{
    enum { STACK = 1, LEAST = 8 };
    return check->view->type != ET_EXEC &&
           (record->value < LEAST || info_record_word(record, STACK) != UINT32_MAX);
}

/* Whether the record is in a list of attributes that belongs to the code of another function.
 * nvlink 13.0.88 accepts a function's record in any list, but if that list is discarded, the record
 * is lost (golden link resources-in-other-sections). */
static bool is_of_another(const struct elf_check *check, const struct elf_section *section,
                          uint32_t symbol)
{
    enum code_view which = (enum code_view)section->view;
    return section->info && check->view->type == ET_REL &&
           elf_view_symbol(check->view, which, symbol).section != section->info;
}

/* Reports each rule that the record breaks. `marks` has a bit for each kind of record that
 * preceding records of the function have. */
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

/* One condition detects that some rule may be broken; only then does report_record find out which.
 * This halves the number of instructions for a correct record. */
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

/* Whether a kernel of an executable lacks its MIN_STACK_SIZE record, which only linkers write. A
 * kernel to which device code refers may lack the record: if options or host code name only other
 * kernels, nvlink 13.0.88 keeps it as a device function, without the record. */
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

/* Functions are checked through their code, because aliases share another function's code and need
 * no records. */
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

/* Whether the section is a bank of parameters. In relocatable objects the type is enough, because
 * elf_check_kinds.c compares it with the name. In executables the type is PROGBITS, so the name
 * decides. */
static bool is_parameter_bank(const struct elf_check *check, const struct elf_section *section)
{
    return section->type == SHT_CUDA_CONSTANT0 ||
           (check->view->type == ET_EXEC && begins_with(section->name, ".nv.constant0."));
}

/* Checks a PARAM_CBANK record, which says where in constant bank 0 the parameters of a kernel are.
 * The record refers to the bank by its section symbol. The bank is in the native view even if the
 * record is in the Mercury view. Static kernels of one name may share a bank in outputs of nvlink
 * 13.0.88. */
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
