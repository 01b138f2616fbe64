/* Rules of relocations, attributes, call graphs and notes; see verify.h. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/note.h"
#include "format/relocation.h"
#include "format/section_type.h"
#include "tool/decode/subject.h"
#include "tool/verify/verify.h"

/* ---------------------------------------------------------------------------------------------- */
/* Relocations                                                                                    */

static void check_relocation(struct verify *verify, const struct elf_section *section,
                             uint32_t index, uint64_t size)
{
    struct elf_relocation relocation = elf_section_relocation(section, index);
    const struct relocation_type *type = relocation_type_find(relocation.type);
    bool is_mercury = relocation.type >= RELOCATION_MERCURY_BASE;
    uint32_t at = section->index;
    if (!type || type->class == RELOCATION_END) {
        verify_report(verify, VERIFY_RULE_RELOCATION_TYPE, at, index, relocation.type);
        return;
    }
    if (is_mercury != (section->view == VIEW_MERCURY))
        verify_report(verify, VERIFY_RULE_RELOCATION_VIEW, at, index, relocation.type);
    if (relocation.offset + relocation_place_size(type) > size)
        verify_report(verify, VERIFY_RULE_RELOCATION_FIELD, at, index, relocation.offset);
    if (!relocation.symbol && type->class != RELOCATION_NONE)
        verify_report(verify, VERIFY_RULE_RELOCATION_NO_SYMBOL, at, index, relocation.type);
}

void verify_relocations(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!elf_section_is_relocation(section))
            continue;
        uint64_t size = elf_view_relocatable_size(view, &view->sections[section->info]);
        for (uint32_t r = 0; r < section->entry_count; r++)
            check_relocation(verify, section, r, size);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Attributes                                                                                     */

enum { HAS_REGISTERS = 1, HAS_FRAME = 2, HAS_MINIMUM_STACK = 4, HAS_MAXIMUM_STACK = 8 };

/* The records that every function has one of, by their code. */
static unsigned record_mark(unsigned code)
{
    switch (code) {
    case EIATTR_REGCOUNT:
        return HAS_REGISTERS;
    case EIATTR_FRAME_SIZE:
        return HAS_FRAME;
    case EIATTR_MIN_STACK_SIZE:
        return HAS_MINIMUM_STACK;
    case EIATTR_MAX_STACK_SIZE:
        return HAS_MAXIMUM_STACK;
    default:
        return 0;
    }
}

struct attributes {
    struct verify *verify;
    enum code_view which;
    uint8_t *marks; /* by symbol */
};

static void check_record(struct attributes *attributes, const struct elf_section *section,
                         uint64_t index, const struct info_record *record)
{
    struct verify *verify = attributes->verify;
    const struct elf_view *view = &verify->subject->view;
    if (!info_attribute_find(record->code)) {
        verify_report(verify, VERIFY_RULE_ATTRIBUTE_UNKNOWN, section->index, index, record->code);
        return;
    }
    unsigned mark = record_mark(record->code);
    if (!mark)
        return;
    uint32_t symbol = info_record_word(record, 0);
    if (elf_view_symbol(view, attributes->which, symbol).type != STT_FUNC)
        verify_report(verify, VERIFY_RULE_ATTRIBUTE_NOT_FUNCTION, section->index, index, symbol);
    if (attributes->marks[symbol] & mark)
        verify_report(verify, VERIFY_RULE_ATTRIBUTE_REPEATED, section->index, index, symbol);
    attributes->marks[symbol] |= (uint8_t)mark;
}

/* Parameters of a kernel lie in constant bank 0; their record names the section by its symbol. */
static void check_parameter_bank(struct verify *verify, const struct elf_section *section,
                                 uint64_t index, const struct info_record *record)
{
    const struct elf_view *view = &verify->subject->view;
    struct elf_symbol symbol = elf_view_symbol(view, section->view, info_record_word(record, 0));
    uint32_t range = info_record_word(record, 1);
    uint64_t end = (range & 0xffff) + (range >> 16);
    if (symbol.section >= view->section_count || !symbol.section ||
        !strstr(view->sections[symbol.section].name, ".nv.constant0."))
        verify_report(verify, VERIFY_RULE_NO_PARAMETER_BANK, section->index, index, symbol.section);
    else if (view->sections[symbol.section].size < end)
        verify_report(verify, VERIFY_RULE_PARAMETER_BANK_SIZE, section->index, index, end);
}

/* The Mercury view leaves constant bank 0 to the native one. */
static void check_own_parameters(struct verify *verify, const struct elf_section *section)
{
    struct bytes rest = section_bytes(section);
    struct info_record record;
    bool has_parameters = false, has_bank = false;
    for (uint64_t i = 0; info_record_next(&rest, &record); i++) {
        has_parameters |= record.code == EIATTR_KPARAM_INFO;
        if (record.code != EIATTR_PARAM_CBANK)
            continue;
        has_bank = true;
        check_parameter_bank(verify, section, i, &record);
    }
    if (has_parameters && !has_bank && section->view == VIEW_NATIVE)
        verify_report(verify, VERIFY_RULE_NO_PARAMETER_BANK, section->index, 0, 0);
}

static void check_info_section(struct attributes *attributes, const struct elf_section *section)
{
    struct bytes rest = section_bytes(section);
    struct info_record record;
    for (uint64_t i = 0; info_record_next(&rest, &record); i++)
        check_record(attributes, section, i, &record);
    check_own_parameters(attributes->verify, section);
}

/* Functions are looked at through their code, so that aliases, which have none of their own, need
 * no records. */
static void check_marks(struct attributes *attributes, const struct elf_section *code)
{
    struct verify *verify = attributes->verify;
    uint32_t index = code->info & ELF_CODE_SYMBOL_MASK;
    struct elf_symbol symbol = elf_view_symbol(&verify->subject->view, attributes->which, index);
    unsigned marks = attributes->marks[index];
    if (!(marks & HAS_REGISTERS))
        verify_report(verify, VERIFY_RULE_NO_REGISTER_COUNT, code->index, index, 0);
    if (!(marks & HAS_FRAME))
        verify_report(verify, VERIFY_RULE_NO_FRAME_SIZE, code->index, index, 0);
    if (symbol.other & STO_CUDA_ENTRY && !(marks & HAS_MINIMUM_STACK))
        verify_report(verify, VERIFY_RULE_NO_STACK_SIZE, code->index, index, 0);
}

static bool is_info_of(const struct elf_section *section, enum code_view which)
{
    return section->type == (which == VIEW_NATIVE ? SHT_CUDA_INFO : SHT_MERCURY_INFO);
}

void verify_attributes(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    for (int which = 0; which < VIEW_COUNT; which++) {
        uint8_t *marks = ARENA_ARRAY(verify->arena, uint8_t, view->symbols[which].count);
        struct attributes attributes = {verify, which, marks};
        for (uint32_t i = 1; i < view->section_count; i++)
            if (is_info_of(&view->sections[i], which))
                check_info_section(&attributes, &view->sections[i]);
        for (uint32_t i = 1; i < view->section_count; i++) {
            const struct elf_section *section = &view->sections[i];
            if (elf_section_is_code(section) && section->view == (unsigned)which &&
                !elf_view_is_slots(view, section))
                check_marks(&attributes, section);
        }
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Call graph                                                                                     */

static void check_callgraph(struct verify *verify, const struct elf_section *section)
{
    int32_t headings = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (pair.first || pair.second >= 0)
            continue;
        if (pair.second != --headings)
            verify_report(verify, VERIFY_RULE_CALLGRAPH_HEADINGS, section->index, i,
                          (uint32_t)pair.second);
    }
    if (headings != -CALLGRAPH_GROUP_COUNT)
        verify_report(verify, VERIFY_RULE_CALLGRAPH_HEADINGS, section->index, section->entry_count,
                      (uint32_t)headings);
}

void verify_callgraphs(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        uint32_t type = view->sections[i].type;
        if (type == SHT_CUDA_CALLGRAPH || type == SHT_MERCURY_CALLGRAPH)
            check_callgraph(verify, &view->sections[i]);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Notes                                                                                          */

void verify_notes(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    uint64_t cuinfo = 0, tkinfo = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        if (view->sections[i].type != SHT_NOTE)
            continue;
        struct bytes rest = section_bytes(&view->sections[i]);
        struct note note;
        while (note_next(&rest, &note)) {
            cuinfo += note.type == NT_CUINFO;
            tkinfo += note.type == NT_TKINFO;
        }
    }
    unsigned expected = elf_view_abi(view) == ABIVERSION_CUDA; /* ABI 7 has none */
    if (cuinfo != expected)
        verify_report(verify, VERIFY_RULE_CUINFO_COUNT, 0, 0, cuinfo);
    if ((tkinfo > 0) != expected)
        verify_report(verify, VERIFY_RULE_TKINFO_MISSING, 0, 0, 0);
}
