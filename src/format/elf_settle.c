/* Leaving the buffer in which a view was opened; see elf_view.h.
 *
 * Of an object of 15 KB 5 KB go: headers, space for alignment, and parameters, which a compiler
 * leaves as zeros. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"

/* For what stands before a kernel's parameters and as many of them as most kernels have; larger
 * banks are copied. */
static const uint8_t ZEROS[0x1200];

static bool is_unset_bank(const struct elf_section *section)
{
    return section->kind == INPUT_CONSTANT_ENTRY && section->size <= sizeof ZEROS &&
           !memcmp(section->data, ZEROS, section->size);
}

static size_t room_of(const struct elf_section *section)
{
    enum { ALIGNMENT = 8 };
    return (section->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Returns the place behind. */
static uint8_t *copy_section(struct elf_section *section, uint8_t *place)
{
    if (!section->size || is_unset_bank(section)) {
        section->data = ZEROS;
        return place;
    }
    section->data = memcpy(place, section->data, section->size);
    return place + room_of(section);
}

/* By section: contents of the other view may have the same place in the file. */
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

/* Flags, links and sizes of entries that mean nothing; see elf_view_original_header. */
static bool means_nothing(const struct elf_view *view, uint32_t index)
{
    struct elf_section_header header = elf_view_section_header(view, index);
    return header.flags > UINT32_MAX || ((header.link || header.entry_size) &&
                                         !may_have_link_or_entries(view->sections[index].kind));
}

static const uint8_t *needed_table(const struct elf_view *view, struct arena *arena)
{
    bool is_needed = false;
    for (uint32_t i = 0; i < view->section_count; i++)
        is_needed |= means_nothing(view, i);
    size_t size = (size_t)view->section_count * ELF_SECTION_HEADER_SIZE;
    return is_needed ? memcpy(arena_alloc(arena, size), view->section_table, size) : NULL;
}

void elf_view_settle(struct elf_view *view, struct arena *arena)
{
    size_t size = 0;
    for (uint32_t i = 1; i < view->section_count; i++)
        if (view->sections[i].data && !is_unset_bank(&view->sections[i]))
            size += room_of(&view->sections[i]);
    uint8_t *place = arena_alloc(arena, size);
    for (uint32_t i = 1; i < view->section_count; i++)
        if (view->sections[i].data)
            place = copy_section(&view->sections[i], place);
    move_tables(view);
    move_names(view);
    view->section_table = needed_table(view, arena);
    view->file = (struct bytes){NULL, 0};
}
