/* Sections of unknown types; see unknown_sections.h. Part of pass_load.
 *
 * nvlink 13.0.88 silently drops such a section if it has no variables and no relocations, whatever
 * its type, flags and section symbol (40 types, including standard ones, with 10 values of
 * sh_flags; sm_80). From sm_100 on, nvlink crashes if the section has no Mercury flag. It keeps a
 * section with variables, but code that refers to these variables gets the offset 0. warpld's ELF
 * reader refuses sections of unknown types that have variables. This file refuses those that have
 * relocations, and those to which relocations refer. */
#include "link/image/unknown_sections.h"

#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"

static bool is_unknown(const struct elf_section *section)
{
    return section->kind == INPUT_UNKNOWN;
}

/* Returns the section of unknown type that a list of relocations applies to or refers to, or 0. */
static uint32_t unknown_of_list(const struct elf_view *elf, const struct elf_section *list)
{
    if (is_unknown(&elf->sections[list->info]))
        return list->info;
    enum code_view view = (enum code_view)list->view;
    for (uint32_t i = 0; i < list->entry_count; i++) {
        uint32_t symbol = elf_section_relocation(list, i).symbol;
        uint32_t section = elf_view_symbol(elf, view, symbol).section;
        if (section < elf->section_count && section && is_unknown(&elf->sections[section]))
            return section;
    }
    return 0;
}

static uint32_t needed_unknown(const struct elf_view *elf)
{
    for (uint32_t i = 1; i < elf->section_count; i++)
        if (elf_section_is_relocation(&elf->sections[i])) {
            uint32_t needed = unknown_of_list(elf, &elf->sections[i]);
            if (needed)
                return needed;
        }
    return 0;
}

bool unknown_sections_accept(link_context *link, const struct input_object *object)
{
    const struct elf_view *elf = &object->elf;
    if (!elf_view_has(elf, INPUT_UNKNOWN))
        return true;
    uint32_t needed = needed_unknown(elf);
    if (needed) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_SECTION_NEEDED, object->name, NULL,
                          object->name, elf->sections[needed].name, elf->sections[needed].type);
        return false;
    }
    for (uint32_t i = 1; i < elf->section_count && !link->options.as_nvlink; i++)
        if (is_unknown(&elf->sections[i]))
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_SECTION_LEFT_OUT, object->name, NULL,
                              elf->sections[i].name, object->name, elf->sections[i].type);
    return true;
}
