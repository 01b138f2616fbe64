/* Questions about input objects; see input_object.h. */
#include "link/model/input_object.h"

#include <stdlib.h>

#include "format/elf.h"
#include "link/model/symbols.h"

struct symbol *input_section_function(const struct input_object *object,
                                      const struct elf_section *section, uint32_t *index)
{
    if (section->flags & SHF_INFO_LINK && input_section_kind(section) != INPUT_TEXT)
        section = &object->elf.sections[section->info];
    if (input_section_kind(section) != INPUT_TEXT)
        return NULL;
    uint32_t symbol = section->info & 0xffffff; /* sh_info of code: the highest byte is the register
                                                 * count */
    if (index)
        *index = symbol;
    return object->symbols[symbol];
}

bool input_function_is_used(const struct input_object *object, uint32_t symbol_index)
{
    const struct symbol *symbol = object->symbols[symbol_index];
    return symbol && symbol->function && symbol->function->kept &&
           object->copies[symbol_index] == COPY_USED;
}

static int pieces_by_input_offset(const void *a, const void *b)
{
    const struct moved_variable *first = a, *second = b;
    if (first->input_offset != second->input_offset)
        return first->input_offset < second->input_offset ? -1 : 1;
    return first->size == second->size ? 0 : first->size < second->size ? -1 : 1;
}

void contribution_move(struct arena *arena, struct input_object *object, uint32_t section,
                       struct moved_variable *pieces, size_t count)
{
    if (count) /* qsort does not accept a null pointer */
        qsort(pieces, count, sizeof *pieces, pieces_by_input_offset);
    if (!object->moved)
        object->moved = ARENA_ARRAY(arena, struct moved_bytes, object->elf.section_count);
    object->moved[section] = (struct moved_bytes){pieces, count};
}

const struct moved_variable *contribution_piece(const struct input_object *object, uint32_t section,
                                                uint64_t input_offset)
{
    if (!contribution_is_moved(object, section))
        return NULL;
    const struct moved_bytes *moved = &object->moved[section];
    size_t first = 0, end = moved->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct moved_variable *variable = &moved->pieces[middle];
        if (input_offset < variable->input_offset)
            end = middle;
        else if (input_offset - variable->input_offset >= variable->size)
            first = middle + 1;
        else
            return variable;
    }
    return NULL;
}

bool contribution_offset_in_pieces(const struct input_object *object, uint32_t section,
                                   uint64_t input_offset, uint64_t *offset)
{
    const struct moved_variable *variable = contribution_piece(object, section, input_offset);
    if (variable)
        *offset = variable->offset + (input_offset - variable->input_offset);
    return variable && !variable->removed;
}

enum range_state contribution_range(const struct input_object *object, uint32_t section,
                                    uint64_t input_offset, uint64_t size, uint64_t *offset)
{
    uint64_t last = 0;
    bool has_first = contribution_offset(object, section, input_offset, offset);
    bool has_last = contribution_offset(object, section, input_offset + size - 1, &last);
    if (!has_first && !has_last)
        return RANGE_REMOVED;
    return has_first && has_last && last == *offset + size - 1 ? RANGE_KEPT : RANGE_CUT;
}
