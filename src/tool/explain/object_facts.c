/* Reads facts from objects; see object_facts.h. */
#include "tool/explain/object_facts.h"

#include <string.h>

#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "tool/decode/subject.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/program/program.h"

struct function_fact {
    struct name name;
    struct amount registers;
};

static const char *kept(struct object_facts *facts, const char *text)
{
    return arena_copy_string(facts->arena, text, strlen(text));
}

static const char *function_name(const struct program *program,
                                 const struct program_function *function)
{
    return elf_view_symbol(&program->subject->view, VIEW_NATIVE, function->symbol).name;
}

/* Records the register count of each function that an object defines. If several objects define the
 * function, the count of the first one is kept. */
static void take_registers(struct object_facts *facts, const struct program *program)
{
    for (uint32_t i = 0; i < program->defined_count; i++) {
        const struct program_function *function = &program->functions[i];
        struct function_fact *fact =
            name_table_intern(&facts->functions, kept(facts, function_name(program, function)));
        if (!fact->registers.known)
            fact->registers = function->registers;
    }
}

static bool is_shared_variable(const struct elf_symbol *symbol)
{
    return symbol->type != STT_SECTION && (symbol->other & STO_CUDA_SPACE) == STO_CUDA_SHARED;
}

/* Lists the shared variables to which a section of relocations refers. If successive relocations
 * refer to the same variable, it is listed only once. */
static void take_references(struct object_facts *facts, const struct program *program,
                            const struct elf_section *section,
                            const struct program_function *function)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        uint32_t index = elf_section_relocation(section, i).symbol;
        struct elf_symbol symbol = elf_view_symbol(&program->subject->view, VIEW_NATIVE, index);
        if (index == last || !is_shared_variable(&symbol))
            continue;
        last = index;
        *ARENA_APPEND(facts->arena, facts, variables) = (struct object_variable){
            .function = kept(facts, function_name(program, function)),
            .variable = kept(facts, symbol_label(program->subject, VIEW_NATIVE, index)),
            .object = kept(facts, program->subject->path),
            .size = symbol.size,
        };
    }
}

static void take_variables(struct object_facts *facts, const struct program *program)
{
    const struct elf_view *view = &program->subject->view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->view != VIEW_NATIVE || !elf_section_is_relocation(section))
            continue;
        const struct program_function *function = program_owner(program, section);
        if (function)
            take_references(facts, program, section, function);
    }
}

/* A subject_visitor (see subjects.h) that reads the facts of an object. */
static bool read_object(void *context, const struct subject *subject)
{
    struct object_facts *facts = context;
    struct arena arena;
    struct program program;
    tool_arena_init(&arena);
    program_read(&program, subject, &arena);
    take_registers(facts, &program);
    take_variables(facts, &program);
    arena_destroy(&arena);
    return true;
}

bool object_facts_read(struct object_facts *facts, const struct tool_options *options,
                       struct arena *arena)
{
    enum { FIRST_OBJECT = 2 };
    bool is_good = true;
    *facts = (struct object_facts){.arena = arena};
    name_table_init(&facts->functions, arena, sizeof(struct function_fact));
    for (size_t i = FIRST_OBJECT; i < options->file_count; i++)
        is_good &= subjects_visit(options->files[i], options, read_object, facts);
    return is_good;
}

bool object_facts_registers(const struct object_facts *facts, const char *function,
                            uint32_t *registers)
{
    const struct function_fact *fact = name_table_find(&facts->functions, function);
    *registers = fact ? fact->registers.value : 0;
    return fact && fact->registers.known;
}
