/* Bytes of weak variables that lost to other weak ones; see discarded_ranges.h. */
#include "link/resolve/discarded_ranges.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/views.h"
#include "link/resolve/weak.h"

void discarded_ranges_add(link_context *link, struct input_object *object,
                          const struct elf_symbol *variable)
{
    if (variable->section < object->elf.section_count &&
        input_section_kind(&object->elf.sections[variable->section]) == INPUT_GLOBAL_INIT)
        *ARENA_APPEND(&link->arena, object, discarded_ranges) = (struct discarded_range){
            variable->section, variable->value, add_sizes(variable->value, variable->size)};
}

static int by_place(const void *a, const void *b)
{
    const struct discarded_range *first = a, *second = b;
    if (first->section != second->section)
        return first->section < second->section ? -1 : 1;
    if (first->start != second->start)
        return first->start < second->start ? -1 : 1;
    return first->end == second->end ? 0 : first->end < second->end ? -1 : 1;
}

void discarded_ranges_sort(struct input_object *object)
{
    struct discarded_range *places = object->discarded_ranges;
    if (!object->discarded_ranges_count)
        return;
    qsort(places, object->discarded_ranges_count, sizeof *places, by_place);
    uint32_t last = 0;
    for (uint32_t i = 1; i < object->discarded_ranges_count; i++) {
        bool overlaps =
            places[i].section == places[last].section && places[i].start <= places[last].end;
        if (!overlaps)
            places[++last] = places[i];
        else if (places[i].end > places[last].end)
            places[last].end = places[i].end;
    }
    object->discarded_ranges_count = last + 1;
}

bool discarded_ranges_have(const struct input_object *object, uint32_t section, uint64_t offset)
{
    size_t first = 0, end = object->discarded_ranges_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct discarded_range *place = &object->discarded_ranges[middle];
        if (section < place->section || (section == place->section && offset < place->start))
            end = middle;
        else if (section > place->section || offset >= place->end)
            first = middle + 1;
        else
            return true;
    }
    return false;
}

bool relocation_of_discarded_is_read(const struct input_object *object,
                                     const struct elf_section *relocations,
                                     const struct elf_relocation *entry)
{
    bool is_about_discarded = object->copies[entry->symbol] == COPY_DISCARDED;
    if (!is_about_discarded && !object->discarded_ranges_count)
        return true;
    const struct elf_section *place = relocation_native_section(object, relocations);
    return !(is_about_discarded && weak_section_follows_copy(place)) &&
           !discarded_ranges_have(object, place->index, entry->offset);
}
