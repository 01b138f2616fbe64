/* Bytes of weak variables that lost to other weak ones; see rejected_places.h. */
#include "link/resolve/rejected_places.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/views.h"
#include "link/resolve/weak.h"

void rejected_places_add(link_context *link, struct input_object *object,
                         const struct elf_symbol *variable)
{
    if (variable->section < object->elf.section_count &&
        input_section_kind(&object->elf.sections[variable->section]) == INPUT_GLOBAL_INIT)
        *ARENA_APPEND(&link->arena, object, rejected_places) = (struct rejected_place){
            variable->section, variable->value, add_sizes(variable->value, variable->size)};
}

static int rejected_by_place(const void *a, const void *b)
{
    const struct rejected_place *first = a, *second = b;
    if (first->section != second->section)
        return first->section < second->section ? -1 : 1;
    if (first->start != second->start)
        return first->start < second->start ? -1 : 1;
    return first->end == second->end ? 0 : first->end < second->end ? -1 : 1;
}

void rejected_places_sort(struct input_object *object)
{
    struct rejected_place *places = object->rejected_places;
    if (!object->rejected_places_count)
        return;
    qsort(places, object->rejected_places_count, sizeof *places, rejected_by_place);
    uint32_t last = 0;
    for (uint32_t i = 1; i < object->rejected_places_count; i++) {
        bool overlaps =
            places[i].section == places[last].section && places[i].start <= places[last].end;
        if (!overlaps)
            places[++last] = places[i];
        else if (places[i].end > places[last].end)
            places[last].end = places[i].end;
    }
    object->rejected_places_count = last + 1;
}

bool rejected_places_have(const struct input_object *object, uint32_t section, uint64_t offset)
{
    size_t first = 0, end = object->rejected_places_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct rejected_place *place = &object->rejected_places[middle];
        if (section < place->section || (section == place->section && offset < place->start))
            end = middle;
        else if (section > place->section || offset >= place->end)
            first = middle + 1;
        else
            return true;
    }
    return false;
}

bool relocation_of_rejected_is_read(const struct input_object *object,
                                    const struct elf_section *relocations,
                                    const struct elf_relocation *entry)
{
    bool is_about_rejected = object->copies[entry->symbol] == COPY_REJECTED;
    if (!is_about_rejected && !object->rejected_places_count)
        return true;
    const struct elf_section *place = relocation_native_place(object, relocations);
    return !(is_about_rejected && weak_section_follows_copy(place)) &&
           !rejected_places_have(object, place->index, entry->offset);
}
