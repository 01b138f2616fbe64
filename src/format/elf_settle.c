/* Leaving the buffer in which a view was opened; see elf_view.h.
 *
 * Of an object of 15 KB 5 KB go: headers, space for alignment, and parameters, which a compiler
 * leaves as zeros. */
#include <string.h>

#include "format/elf_view.h"

/* As much as the parameters of a kernel and what stands before them. */
static const uint8_t ZEROS[0x1200];

static bool is_zero(const struct elf_section *section)
{
    return section->kind == INPUT_CONSTANT_ENTRY && section->size <= sizeof ZEROS &&
           !memcmp(section->data, ZEROS, section->size);
}

static size_t room_of(const struct elf_section *section)
{
    enum { ALIGNMENT = 8 };
    return (section->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Tables and strings of the view that are the section's contents. */
static void follow(struct elf_view *view, const uint8_t *before, const uint8_t *data)
{
    for (int which = 0; which < VIEW_COUNT; which++) {
        struct elf_symbol_table *table = &view->symbols[which];
        if (table->entries == before)
            table->entries = data;
        if ((const uint8_t *)table->strings == before)
            table->strings = (const char *)data;
        if (view->extended_indices[which] == before)
            view->extended_indices[which] = data;
    }
}

static void move_names(struct elf_view *view, const uint8_t *before, const uint8_t *data)
{
    for (uint32_t i = 0; i < view->section_count; i++)
        if (view->sections[i].name)
            view->sections[i].name =
                (const char *)data + (view->sections[i].name - (const char *)before);
}

static void move_section(struct elf_view *view, struct elf_section *section, const uint8_t *data)
{
    const uint8_t *before = section->data;
    section->data = data;
    follow(view, before, data);
    if (section->index == view->names_section)
        move_names(view, before, data);
}

static bool has_contents(const struct elf_section *section)
{
    return section->data && section->size;
}

/* Returns the place behind. */
static uint8_t *copy_section(struct elf_view *view, struct elf_section *section, uint8_t *place)
{
    if (is_zero(section)) {
        section->data = ZEROS;
        return place;
    }
    memcpy(place, section->data, section->size);
    move_section(view, section, place);
    return place + room_of(section);
}

/* Flags that mean nothing are read from the table; see elf_view_section_flags. */
static const uint8_t *needed_table(const struct elf_view *view, struct arena *arena)
{
    bool is_needed = false;
    for (uint32_t i = 0; i < view->section_count; i++)
        is_needed |= elf_view_section_header(view, i).flags > UINT32_MAX;
    size_t size = (size_t)view->section_count * ELF_SECTION_HEADER_SIZE;
    return is_needed ? memcpy(arena_alloc(arena, size), view->section_table, size) : NULL;
}

void elf_view_settle(struct elf_view *view, struct arena *arena)
{
    view->section_table = needed_table(view, arena);
    size_t size = 0;
    for (uint32_t i = 1; i < view->section_count; i++)
        if (has_contents(&view->sections[i]) && !is_zero(&view->sections[i]))
            size += room_of(&view->sections[i]);
    uint8_t *place = arena_alloc(arena, size);
    for (uint32_t i = 1; i < view->section_count; i++)
        if (has_contents(&view->sections[i]))
            place = copy_section(view, &view->sections[i], place);
    view->file = (struct bytes){NULL, 0};
}
