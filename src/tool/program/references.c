/* Reads relocations of code; see references.h. */
#include "tool/program/references.h"

#include "format/elf_view.h"
#include "tool/decode/subject.h"

static void read_relocations(const struct elf_section *section, uint32_t function, uint32_t *users)
{
    for (uint32_t i = 0; i < section->entry_count; i++) {
        uint32_t *user = &users[elf_section_relocation(section, i).symbol];
        if (*user == NO_FUNCTION)
            *user = function;
    }
}

uint32_t *references_read(const struct program *program, const struct reach *reach,
                          struct arena *arena)
{
    const struct elf_view *view = &program->subject->view;
    uint32_t count = view->symbols[VIEW_NATIVE].count;
    uint32_t *users = ARENA_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        users[i] = NO_FUNCTION;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->view != VIEW_NATIVE || !elf_section_is_relocation(section))
            continue;
        const struct program_function *function = program_owner(program, section);
        if (function && reach->has[program_index(program, function)])
            read_relocations(section, program_index(program, function), users);
    }
    return users;
}
