/* Bytes of weak variables that lost to other weak ones; see rejected_places.h. */
#include "link/rejected_places.h"

#include <stdlib.h>

void rejected_places_add(link_context *link, struct input_object *object,
                         const struct elf_symbol *variable)
{
    if (variable->section < object->elf.section_count &&
        input_section_kind(&object->elf.sections[variable->section]) == INPUT_GLOBAL_INIT)
        *ARENA_APPEND(ARENA, object, rejected_places) = (struct rejected_place){
            variable->section, variable->value, add_sizes(variable->value, variable->size)};
}

static int by_place(const void *a, const void *b)
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
    if (object->rejected_places_count)
        qsort(object->rejected_places, object->rejected_places_count,
              sizeof *object->rejected_places, by_place);
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
