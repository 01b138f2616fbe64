/* Numbers of inputs; see input_numbers.h. */
#include "report/input_numbers.h"

#include <stddef.h>

void input_numbers_init(struct input_numbers *inputs, struct arena *arena)
{
    *inputs = (struct input_numbers){.last = NULL};
    name_table_init(&inputs->table, arena, sizeof(struct numbered_input));
}

uint32_t input_number(struct input_numbers *inputs, const char *name)
{
    if (!name)
        return UINT32_MAX;
    if (name == inputs->last)
        return inputs->last_number;
    uint32_t count = inputs->table.count;
    struct numbered_input *input = name_table_intern(&inputs->table, name);
    if (inputs->table.count != count) {
        input->number = inputs->names_count;
        *ARENA_APPEND(inputs->table.arena, inputs, names) = name;
    }
    inputs->last = name;
    inputs->last_number = input->number;
    return input->number;
}
