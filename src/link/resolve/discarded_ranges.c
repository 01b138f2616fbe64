/* Records the bytes of discarded weak variables; see discarded_ranges.h. */
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

static int ranges_by_offset(const void *a, const void *b)
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
    struct discarded_range *ranges = object->discarded_ranges;
    if (!object->discarded_ranges_count)
        return;
    qsort(ranges, object->discarded_ranges_count, sizeof *ranges, ranges_by_offset);
    uint32_t last = 0;
    for (uint32_t i = 1; i < object->discarded_ranges_count; i++) {
        bool overlaps =
            ranges[i].section == ranges[last].section && ranges[i].start <= ranges[last].end;
        if (!overlaps)
            ranges[++last] = ranges[i];
        else if (ranges[i].end > ranges[last].end)
            ranges[last].end = ranges[i].end;
    }
    object->discarded_ranges_count = last + 1;
}

bool discarded_ranges_have(const struct input_object *object, uint32_t section, uint64_t offset)
{
    size_t first = 0, end = object->discarded_ranges_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct discarded_range *range = &object->discarded_ranges[middle];
        if (section < range->section || (section == range->section && offset < range->start))
            end = middle;
        else if (section > range->section || offset >= range->end)
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
    const struct elf_section *target = relocation_native_section(object, relocations);
    return !(is_about_discarded && weak_section_follows_copy(target)) &&
           !discarded_ranges_have(object, target->index, entry->offset);
}
