/* Reads the calls from .nv.callgraph; see program.h. As in the linker, a call through a pointer can
 * reach each function that has the pointer's prototype and whose address is taken. */
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/decode/subject.h"
#include "tool/program/program.h"

struct prototype {
    struct name name;
    struct program_function *function; /* the entry that represents it */
};

struct call_reader {
    struct program *program;
    struct name_table prototypes;
    struct arena arena;
};

/* Returns the function of a symbol. For an alias, returns the function that has its code. Returns
 * NULL if the symbol is not a function. */
static struct program_function *function_of(const struct program *program, uint32_t index)
{
    const struct elf_view *view = &program->subject->view;
    if (index >= view->symbols[VIEW_NATIVE].count)
        return NULL;
    if (program->by_symbol[index])
        return program->by_symbol[index];
    uint32_t section = elf_view_symbol(view, VIEW_NATIVE, index).section;
    return section < view->section_count ? program->by_section[section] : NULL;
}

static void add_call(struct program *program, struct program_function *caller,
                     const struct program_function *callee)
{
    if (caller && callee)
        *ARENA_APPEND(program->arena, caller, calls) = program_index(program, callee);
}

/* Returns the entry that represents the prototype at a string offset, and adds the entry if
 * necessary. Returns NULL if the offset is invalid. */
static struct program_function *prototype_at(struct call_reader *reader, int32_t offset)
{
    struct program *program = reader->program;
    const char *text =
        offset < 0 ? NULL : elf_view_string(&program->subject->view, VIEW_NATIVE, (uint32_t)offset);
    if (!text)
        return NULL;
    struct prototype *prototype = name_table_intern(&reader->prototypes, text);
    if (!prototype->function) {
        prototype->function = &program->functions[program->count++];
        prototype->function->is_prototype = true;
        prototype->function->label =
            arena_format(program->arena, "(pointer to a function of type %s)", text);
    }
    return prototype->function;
}

static void note_taken(struct call_reader *reader, struct elf_pair pair)
{
    struct program_function *function = function_of(reader->program, pair.first);
    if (function)
        function->is_address_taken = true;
    add_call(reader->program, prototype_at(reader, pair.second), function);
}

/* Reads the pairs of one group: calls, addresses taken, or calls through pointers. */
static void read_group(struct call_reader *reader, const struct elf_section *section, int32_t group)
{
    struct program *program = reader->program;
    int32_t heading = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (pair.first == 0 && pair.second < 0)
            heading = pair.second;
        else if (heading != group)
            continue;
        else if (group == CALLGRAPH_ADDRESS_TAKEN)
            note_taken(reader, pair);
        else if (group == CALLGRAPH_INDIRECT_CALLERS)
            add_call(program, function_of(program, pair.first), prototype_at(reader, pair.second));
        else
            add_call(program, function_of(program, pair.first),
                     function_of(program, (uint32_t)pair.second));
    }
}

void program_read_calls(struct program *program)
{
    static const int32_t GROUPS[] = {CALLGRAPH_CALLS, CALLGRAPH_ADDRESS_TAKEN,
                                     CALLGRAPH_INDIRECT_CALLERS};
    const struct elf_view *view = &program->subject->view;
    struct call_reader reader = {.program = program};
    tool_arena_init(&reader.arena);
    name_table_init(&reader.prototypes, &reader.arena, sizeof(struct prototype));
    for (size_t g = 0; g < sizeof GROUPS / sizeof *GROUPS; g++)
        for (uint32_t i = 1; i < view->section_count; i++)
            if (view->sections[i].type == SHT_CUDA_CALLGRAPH)
                read_group(&reader, &view->sections[i], GROUPS[g]);
    arena_destroy(&reader.arena);
}
