/* The two views of an object's code; see views.h. Counterparts are found in one of three ways. The
 * first word of Mercury code is the index of its native section. For attributes, compiler-made
 * constants and relocations, sh_info names the section that they belong to, and the counterpart of
 * that section leads to their counterparts. All other sections are in the same order in both views,
 * with corresponding names (observed in 8,000 objects of ptxas 13.0.88 for sm_100 to sm_121). */
#include "link/model/views.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "format/system_symbols.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"

#define NATIVE_OPTIMIZER  ".nv.constant2."
#define MERCURY_OPTIMIZER ".nv.constant.optimizer."
#define MERCURY_PREFIX    ".nv.merc"

/* --------------------------------------------------------------------------------------------- */
/* Names                                                                                         */

/* Constant banks that belong to the whole program. Both views have them, under different names. */
static const struct program_bank {
    uint32_t mercury_type;
    int bank;
    const char *native;
    const char *mercury;
} PROGRAM_BANKS[] = {
    {SHT_MERCURY_CONSTANT_USER, CONSTANT_BANK_USER, ".nv.constant3", ".nv.constant.user"},
    {SHT_MERCURY_CONSTANT_PIC, CONSTANT_BANK_PIC, ".nv.constant4", ".nv.constant.pic"},
};
enum { PROGRAM_BANK_COUNT = sizeof PROGRAM_BANKS / sizeof *PROGRAM_BANKS };

static const struct program_bank *program_bank(const struct elf_section *mercury)
{
    for (size_t i = 0; i < PROGRAM_BANK_COUNT; i++)
        if (PROGRAM_BANKS[i].mercury_type == mercury->type)
            return &PROGRAM_BANKS[i];
    return NULL;
}

static const char *merged_text(link_context *link, const char *text)
{
    for (size_t i = 0; i < PROGRAM_BANK_COUNT; i++)
        if (!strcmp(text, PROGRAM_BANKS[i].native))
            return PROGRAM_BANKS[i].mercury;
    if (!strncmp(text, NATIVE_OPTIMIZER, strlen(NATIVE_OPTIMIZER)))
        return arena_join(&link->arena, MERCURY_OPTIMIZER, text + strlen(NATIVE_OPTIMIZER));
    return NULL;
}

struct linked_name *views_merged_name(link_context *link, struct linked_name *name)
{
    const char *text = linked_name_text(link, name);
    const char *prefix = "";
    if (!strncmp(text, ".rela.", strlen(".rela.")))
        prefix = ".rela";
    else if (!strncmp(text, ".rel.", strlen(".rel.")))
        prefix = ".rel";
    const char *merged = merged_text(link, text + strlen(prefix));
    return merged ? link_intern(link, arena_join(&link->arena, prefix, merged)) : name;
}

struct linked_name *views_counterpart_name(link_context *link, struct linked_name *merged_name,
                                           bool is_code)
{
    struct linked_name *name = ARENA_NEW(&link->arena, struct linked_name);
    const char *text = linked_name_text(link, merged_name);
    name->name.text = arena_join(&link->arena, is_code ? ".nv.capmerc" : MERCURY_PREFIX, text);
    name->name.size = (uint32_t)strlen(name->name.text);
    return name;
}

/* --------------------------------------------------------------------------------------------- */
/* Correspondence                                                                                */

struct pairing {
    link_context *link;
    struct input_object *object;
    uint32_t *infos;       /* sections of attributes, by index of their native code */
    uint32_t *constants;   /* sections of compiler-made constants, by index of their native code */
    uint32_t *relocations; /* lists of relocations, by index of the native section they apply to */
    uint32_t next;         /* section at which the search by name continues */
};

static void join_views(struct pairing *pairing, uint32_t native, uint32_t mercury)
{
    pairing->object->other_view[native] = mercury;
    pairing->object->other_view[mercury] = native;
}

static void note_native(struct pairing *pairing, const struct elf_section *section)
{
    if (section->view != VIEW_NATIVE || !(section->flags & SHF_INFO_LINK))
        return;
    if (section->type == SHT_CUDA_INFO)
        pairing->infos[section->info] = section->index;
    else if (input_section_kind(section) == INPUT_RELOCATIONS)
        pairing->relocations[section->info] = section->index;
    else if (section_type_constant_bank(section->type) == CONSTANT_BANK_COMPILER)
        pairing->constants[section->info] = section->index;
}

/* Returns the index of the native section of Mercury code, which the first word of the Mercury code
 * contains. Returns 0 if that is not the index of code of the same function. */
static uint32_t native_code(const struct pairing *pairing, const struct elf_section *mercury)
{
    const struct elf_view *elf = &pairing->object->elf;
    uint32_t native = mercury->size >= 4 ? load_u32(mercury->data) : 0;
    if (native == 0 || native >= elf->section_count || pairing->object->other_view[native])
        return 0;
    const struct elf_section *section = &elf->sections[native];
    bool same = input_section_kind(section) == INPUT_TEXT &&
                (section->info & ELF_CODE_SYMBOL_MASK) == (mercury->info & ELF_CODE_SYMBOL_MASK);
    return same ? native : 0;
}

static bool names_correspond(const struct elf_section *native, const struct elf_section *mercury)
{
    const struct program_bank *bank = program_bank(mercury);
    if (bank)
        return !strcmp(native->name, bank->native);
    return !strncmp(mercury->name, MERCURY_PREFIX, strlen(MERCURY_PREFIX)) &&
           !strcmp(native->name, mercury->name + strlen(MERCURY_PREFIX));
}

/* Whether the types match. If they did not, the link would interpret a section by its counterpart's
 * type, but the reader has checked it by its own type. */
static bool types_correspond(const struct elf_section *native, const struct elf_section *mercury)
{
    if (native->type == SHT_CUDA_INFO)
        return mercury->type == SHT_MERCURY_INFO;
    if (native->type == SHT_CUDA_CALLGRAPH)
        return mercury->type == SHT_MERCURY_CALLGRAPH;
    if (native->type == SHT_CUDA_PROTOTYPE)
        return mercury->type == SHT_MERCURY_PROTOTYPE;
    const struct program_bank *bank = program_bank(mercury);
    return bank ? section_type_constant_bank(native->type) == bank->bank
                : mercury->type == native->type;
}

/* Whether the sizes and alignments match. Those of initialised memory and of the constants of the
 * program are the same in both views (154 sections of ptxas and nvlink). A symbol gets the same
 * offset in both views, so it could be beyond the end of a smaller section. nvlink 13.0.88 links
 * objects whose sizes differ; warpld does not. */
static bool memory_corresponds(const struct elf_section *native, const struct elf_section *mercury)
{
    return (mercury->type != SHT_CUDA_GLOBAL_INIT && !program_bank(mercury)) ||
           (mercury->size == native->size && mercury->alignment_bits == native->alignment_bits);
}

/* Returns the counterpart of a section that belongs to the whole object. These sections are in the
 * same order in both views, so the search continues where the last one ended. */
static uint32_t native_of_name(struct pairing *pairing, const struct elf_section *mercury)
{
    const struct elf_view *elf = &pairing->object->elf;
    while (pairing->next < elf->section_count) {
        const struct elf_section *native = &elf->sections[pairing->next++];
        if (native->view == VIEW_NATIVE && names_correspond(native, mercury)) {
            bool same = types_correspond(native, mercury) && memory_corresponds(native, mercury);
            return same ? native->index : 0;
        }
    }
    return 0;
}

/* Returns the counterpart of a section that sh_info ties to another section. That other section
 * must have been paired already. */
static uint32_t native_of_owner(const struct pairing *pairing, const struct elf_section *mercury)
{
    uint32_t owner = pairing->object->other_view[mercury->info];
    switch (mercury->type) {
    case SHT_MERCURY_INFO:
        return owner ? pairing->infos[owner] : 0;
    case SHT_MERCURY_CONSTANT_OPTIMIZER:
        return owner ? pairing->constants[owner] : 0;
    case SHT_MERCURY_RELA:
        return owner ? pairing->relocations[owner] : 0;
    default:
        return 0;
    }
}

static bool report_section(struct pairing *pairing, const struct elf_section *section)
{
    link_context *link = pairing->link;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, pairing->object->name, NULL,
                      pairing->object->name, section->name);
    return false;
}

/* Whether a Mercury section may lack a native counterpart. Code that refers only to the size of the
 * reserved memory has Mercury relocations, but no native ones. Relocations that nvlink -r
 * --preserve-relocs lists as resolved are dropped from both views. */
static bool may_be_alone(const struct elf_section *section)
{
    return section->type == SHT_MERCURY_SYMTAB || section->type == SHT_MERCURY_RELA ||
           section->type == SHT_MERCURY_RESOLVED_RELA;
}

/* The order in which sections are paired: first code, which ptxas 13.5 writes last; then all others
 * except relocations; then relocations. Relocations can patch sections of both earlier steps. */
enum pairing_step { STEP_CODE, STEP_CONTENTS, STEP_RELOCATIONS };

static enum pairing_step step_of(const struct elf_section *section)
{
    if (section->type == SHT_MERCURY_CODE)
        return STEP_CODE;
    return section->type == SHT_MERCURY_RELA ? STEP_RELOCATIONS : STEP_CONTENTS;
}

/* Pairs the Mercury sections of one step with their native counterparts. Reports a section that has
 * no counterpart but needs one, or whose counterpart is paired already. */
static bool pair_sections(struct pairing *pairing, enum pairing_step step)
{
    const struct elf_view *elf = &pairing->object->elf;
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (section->view != VIEW_MERCURY || step_of(section) != step)
            continue;
        uint32_t native = 0;
        if (section->type == SHT_MERCURY_CODE)
            native = native_code(pairing, section);
        else if (section->flags & SHF_INFO_LINK)
            native = native_of_owner(pairing, section);
        else if (section->type != SHT_MERCURY_SYMTAB)
            native = native_of_name(pairing, section);
        if (native && pairing->object->other_view[native])
            return report_section(pairing, section);
        if (native)
            join_views(pairing, native, i);
        if (step == STEP_RELOCATIONS)
            pairing->object->mercury_relocations[pairing->object->other_view[section->info]] = i;
        if (!native && !may_be_alone(section))
            return report_section(pairing, section);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* Checks that the views agree */

static bool symbols_correspond(const struct elf_view *elf, uint32_t index)
{
    struct elf_symbol native = elf_view_symbol(elf, VIEW_NATIVE, index);
    if (index >= elf->symbols[VIEW_MERCURY].count)
        return native.type == STT_SECTION; /* only the native view has parameter banks */
    struct elf_symbol mercury = elf_view_symbol(elf, VIEW_MERCURY, index);
    return native.type == mercury.type && native.binding == mercury.binding &&
           native.other == mercury.other && (native.section == 0) == (mercury.section == 0) &&
           (native.type == STT_SECTION || !strcmp(native.name, mercury.name));
}

static bool check_symbols(struct pairing *pairing)
{
    const struct elf_view *elf = &pairing->object->elf;
    const struct elf_symbol_table *table = &elf->symbols[VIEW_NATIVE];
    bool agree = elf->symbols[VIEW_MERCURY].count <= table->count;
    for (uint32_t i = 1; agree && i < table->count; i++)
        agree = symbols_correspond(elf, i);
    return agree || report_section(pairing, &elf->sections[table->section]);
}

/* Whether the relocation writes an address in the code section that it applies to. Return addresses
 * in whole programs have this form, because a kernel's code section contains the functions that the
 * kernel calls. Native code contains the addresses without a relocation (objects of nvcc 13.0.88
 * -ewp for sm_100 to 121). */
static bool is_within_code(const struct input_object *object, const struct elf_section *relocations,
                           const struct elf_relocation *entry)
{
    enum { R_MERCURY_PROG_REL32 = 0x10008 };
    const struct elf_section *code = &object->elf.sections[relocations->info];
    return entry->type == R_MERCURY_PROG_REL32 &&
           entry->symbol == (code->info & ELF_CODE_SYMBOL_MASK);
}

static bool may_lack_partner(const struct input_object *object,
                             const struct elf_section *relocations,
                             const struct elf_relocation *entry)
{
    if (is_within_code(object, relocations, entry))
        return true;
    struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_MERCURY, entry->symbol);
    return linker_symbol(symbol.name, strlen(symbol.name)) >= LINKER_SYMBOL_RESERVED_SHARED;
}

bool views_partners(const struct input_object *object, const struct elf_section *native,
                    const struct elf_section *mercury, uint32_t *partners)
{
    uint32_t next = 0, count = native ? native->entry_count : 0;
    for (uint32_t i = 0; i < mercury->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(mercury, i);
        bool paired = next < count && elf_section_relocation(native, next).symbol == entry.symbol;
        if (!paired && !may_lack_partner(object, mercury, &entry))
            return false;
        if (partners)
            partners[i] = paired ? next : NO_PARTNER;
        next += paired;
    }
    return next == count;
}

static bool check_relocations(struct pairing *pairing)
{
    const struct input_object *object = pairing->object;
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        if (section->type != SHT_MERCURY_RELA ||
            object->elf.sections[section->info].type != SHT_MERCURY_CODE)
            continue;
        uint32_t native = object->other_view[i];
        if (!views_partners(object, native ? &object->elf.sections[native] : NULL, section, NULL))
            return report_section(pairing, section);
    }
    return true;
}

/* Checks that code, attributes and initialised memory have counterparts in the Mercury view.
 * Without them, nothing can be linked for targets from sm_100 on. */
static bool check_code(struct pairing *pairing)
{
    const struct input_object *object = pairing->object;
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        bool needs = input_section_kind(section) == INPUT_TEXT ||
                     (section->type == SHT_CUDA_INFO && section->size > 0) ||
                     section->type == SHT_CUDA_GLOBAL_INIT;
        if (section->view == VIEW_NATIVE && needs && !object->other_view[i])
            return report_section(pairing, section);
    }
    return true;
}

uint32_t views_relocations_of(const struct input_object *object, uint32_t native)
{
    return object->other_view && native ? object->mercury_relocations[native] : 0;
}

bool views_pair(link_context *link, struct input_object *object)
{
    uint32_t count = object->elf.section_count;
    struct pairing pairing = {.link = link, .object = object, .next = 1};
    object->other_view = ARENA_ARRAY(&link->arena, uint32_t, count);
    object->mercury_relocations = ARENA_ARRAY(&link->arena, uint32_t, count);
    pairing.infos = ARENA_ARRAY(&link->arena, uint32_t, count);
    pairing.constants = ARENA_ARRAY(&link->arena, uint32_t, count);
    pairing.relocations = ARENA_ARRAY(&link->arena, uint32_t, count);
    for (uint32_t i = 1; i < count; i++)
        note_native(&pairing, &object->elf.sections[i]);
    return pair_sections(&pairing, STEP_CODE) && pair_sections(&pairing, STEP_CONTENTS) &&
           pair_sections(&pairing, STEP_RELOCATIONS) && check_symbols(&pairing) &&
           check_relocations(&pairing) && check_code(&pairing);
}

const struct elf_section *relocation_native_section(const struct input_object *object,
                                                    const struct elf_section *relocations)
{
    const struct elf_section *target = &object->elf.sections[relocations->info];
    return target->view == VIEW_MERCURY ? &object->elf.sections[object->other_view[target->index]]
                                        : target;
}
