/* Makes the labels of sections and symbols; see subject.h. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"
#include "tool/decode/label_uses.h"
#include "tool/decode/readable_label.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"

struct use_count {
    struct name name;
    uint32_t uses;
};

/* Returns the readable form of a name. If `readable` is NULL, returns the name as it is in the
 * file. */
static const char *shown(struct readable_names *readable, const char *name)
{
    return readable ? readable_label(readable, name) : name;
}

static const char *symbol_name(const struct subject *subject, const struct elf_symbol *symbol)
{
    if (!*symbol->name && symbol->type == STT_SECTION)
        return section_label(subject, symbol->section);
    return symbol->name;
}

void subject_label_plainly(struct subject *subject)
{
    const struct elf_view *view = &subject->view;
    subject->labels.sections = ARENA_ARRAY(&subject->arena, const char *, view->section_count);
    for (uint32_t i = 0; i < view->section_count; i++)
        subject->labels.sections[i] = view->sections[i].name;
    for (int which = 0; which < VIEW_COUNT; which++) {
        uint32_t count = view->symbols[which].count;
        subject->labels.symbols[which] = ARENA_ARRAY(&subject->arena, const char *, count);
        for (uint32_t i = 0; i < count; i++) {
            struct elf_symbol symbol = elf_view_symbol(view, which, i);
            subject->labels.symbols[which][i] = symbol_name(subject, &symbol);
        }
    }
}

static void label_sections(struct subject *subject, struct readable_names *readable)
{
    struct arena *arena = &subject->arena;
    const struct elf_view *view = &subject->view;
    struct name_table names;
    name_table_init(&names, arena, sizeof(struct use_count));
    for (uint32_t i = 0; i < view->section_count; i++)
        ((struct use_count *)name_table_intern(&names, view->sections[i].name))->uses++;
    for (uint32_t i = 0; i < view->section_count; i++) {
        const char *name = view->sections[i].name;
        const struct use_count *entry = name_table_intern(&names, name);
        const char *label = shown(readable, name);
        if (entry->uses > 1)
            label = arena_format(arena, "%s[%" PRIu32 "]", label, i);
        subject->labels.sections[i] = label;
    }
}

static void label_symbols(struct subject *subject, enum code_view which,
                          struct readable_names *readable)
{
    struct arena *arena = &subject->arena;
    uint32_t count = subject->view.symbols[which].count;
    struct name_table names;
    name_table_init(&names, arena, sizeof(struct use_count));
    const char **labels = subject->labels.symbols[which];
    for (uint32_t i = 0; i < count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&subject->view, which, i);
        labels[i] = symbol_name(subject, &symbol);
        ((struct use_count *)name_table_intern(&names, labels[i]))->uses++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct use_count *entry = name_table_intern(&names, labels[i]);
        labels[i] = shown(readable, labels[i]);
        if (i == 0 && !*labels[i])
            labels[i] = "(none)";
        else if (entry->uses > 1)
            labels[i] = arena_format(arena, "%s[%" PRIu32 "]", labels[i], i);
    }
}

/* Returns the budget for readable names. For small files it is smaller, because a file can contain
 * thousands of cubins, and each of them has its own budget. */
static struct readable_names names_for(struct subject *subject)
{
    enum { TEXT_PER_FILE_BYTE = 64, LEAST_TEXT = 1 << 20 };
    uint64_t text = LEAST_TEXT + TEXT_PER_FILE_BYTE * subject->view.file.size;
    size_t spent = text < READABLE_TEXT_OF_ALL ? READABLE_TEXT_OF_ALL - (size_t)text : 0;
    return (struct readable_names){.arena = &subject->arena, .spent = spent};
}

static void label_all(struct subject *subject, struct readable_names *readable)
{
    label_sections(subject, readable);
    for (int which = 0; which < VIEW_COUNT; which++)
        label_symbols(subject, which, readable);
}

bool subject_label(struct subject *subject, bool demangle, enum label_use use)
{
    struct readable_names names = names_for(subject);
    subject_label_plainly(subject);
    if (!label_uses_are_affordable(subject, use)) {
        tool_error("%.200s: the file refers to long names so often that they would fill gigabytes",
                   subject->path);
        return false;
    }
    label_all(subject, demangle ? &names : NULL);
    if (demangle && !label_uses_are_affordable(subject, use)) {
        tool_error("%.200s: names remain mangled, because their readable forms are too long",
                   subject->path);
        label_all(subject, NULL);
    }
    return true;
}

const char *section_label(const struct subject *subject, uint32_t index)
{
    if (index == SHN_UNDEF)
        return "UND";
    if (index == ELF_SECTION_ABSOLUTE)
        return "ABS";
    if (index == ELF_SECTION_COMMON)
        return "COMMON";
    return index < subject->view.section_count ? subject->labels.sections[index] : "(bad section)";
}

const char *symbol_label(const struct subject *subject, enum code_view which, uint32_t index)
{
    if (index >= subject->view.symbols[which].count)
        return "(bad symbol)";
    return subject->labels.symbols[which][index];
}

/* In files from ptxas 12.0 to 12.3, sections .nv.constant0.F lack SHF_INFO_LINK, although sh_info
 * is the code of F. Executables linked from these files lack the flag, too. */
bool section_info_is_section(const struct elf_section *section)
{
    static const char PARAMETERS[] = ".nv.constant0.";
    return section->flags & SHF_INFO_LINK || elf_section_is_relocation(section) ||
           (section->info && !strncmp(section->name, PARAMETERS, sizeof PARAMETERS - 1));
}

uint32_t section_owner(const struct elf_view *view, const struct elf_section *section)
{
    uint32_t owner = 0;
    if (section->type == SHT_MERCURY_CODE && section->data && section->size >= 4)
        owner = load_u32(section->data);
    else if (section_info_is_section(section))
        owner = section->info;
    return owner < view->section_count && owner != section->index ? owner : 0;
}
