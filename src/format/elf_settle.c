/* Copies the contents of a view out of the file's buffer, so that the buffer can be freed; see
 * elf_view.h.
 *
 * For an object of 15 KB, the copy takes 10 KB. It does not contain headers, padding, and parameter
 * banks, which contain only zeros in objects. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"

const uint8_t ELF_ZEROS[ELF_ZEROS_SIZE];

bool elf_section_is_unset_bank(const struct elf_section *section)
{
    return section->kind == INPUT_CONSTANT_ENTRY && section->size <= sizeof ELF_ZEROS &&
           !memcmp(section->data, ELF_ZEROS, section->size);
}

static size_t aligned_size(const struct elf_section *section)
{
    enum { ALIGNMENT = 8 };
    return (section->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Returns the size of the copies of all sections. Sections that need no copy get the zeros. */
static size_t choose_copied(struct elf_view *view)
{
    size_t size = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        struct elf_section *section = &view->sections[i];
        if (!section->data)
            continue;
        if (section->size && !elf_section_is_unset_bank(section))
            size += aligned_size(section);
        else
            section->data = ELF_ZEROS;
    }
    return size;
}

/* Copies the contents of the other sections to `out`. */
static void copy_contents(struct elf_view *view, uint8_t *out)
{
    for (uint32_t i = 1; i < view->section_count; i++) {
        struct elf_section *section = &view->sections[i];
        if (!section->data || section->data == ELF_ZEROS)
            continue;
        section->data = memcpy(out, section->data, section->size);
        out += aligned_size(section);
    }
}

/* Points the symbol tables to their copies. The copies are found by section index. Addresses in the
 * file's buffer would be ambiguous, because contents of both views can have the same offset. */
static void move_tables(struct elf_view *view)
{
    for (int which = 0; which < VIEW_COUNT; which++) {
        struct elf_symbol_table *table = &view->symbols[which];
        if (!table->section)
            continue;
        uint32_t strings = elf_view_section_header(view, table->section).link;
        table->entries = view->sections[table->section].data;
        table->strings = (const char *)view->sections[strings].data;
        if (view->extended_indices[which])
            view->extended_indices[which] = view->sections[view->extended_sections[which]].data;
    }
}

static void move_names(struct elf_view *view)
{
    const char *names = (const char *)view->sections[view->names_section].data;
    for (uint32_t i = 1; i < view->section_count; i++)
        view->sections[i].name = names + elf_view_section_header(view, i).name;
}

static bool may_have_link_or_entries(uint8_t kind)
{
    return kind == INPUT_OTHER || kind == INPUT_TEXT || kind == INPUT_INFO ||
           kind == INPUT_RELOCATIONS || kind == INPUT_UNIFIED;
}

/* Returns true if a section header has flags, a link or an entry size that have no meaning for the
 * type of section. See elf_view_original_header. */
static bool has_meaningless_fields(const struct elf_view *view, uint32_t index)
{
    struct elf_section_header header = elf_view_section_header(view, index);
    return header.flags > UINT32_MAX || ((header.link || header.entry_size) &&
                                         !may_have_link_or_entries(view->sections[index].kind));
}

bool elf_view_needs_table(const struct elf_view *view)
{
    bool is_needed = false;
    for (uint32_t i = 0; i < view->section_count; i++)
        is_needed |= has_meaningless_fields(view, i);
    return is_needed;
}

static const uint8_t *needed_table(const struct elf_view *view, struct arena *arena)
{
    size_t size = (size_t)view->section_count * ELF_SECTION_HEADER_SIZE;
    return elf_view_needs_table(view) ? memcpy(arena_alloc(arena, size), view->section_table, size)
                                      : NULL;
}

void elf_view_settle(struct elf_view *view, struct arena *arena)
{
    copy_contents(view, arena_alloc(arena, choose_copied(view)));
    move_tables(view);
    move_names(view);
    view->section_table = needed_table(view, arena);
    view->file = (struct bytes){NULL, 0};
}
