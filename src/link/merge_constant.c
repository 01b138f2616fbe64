/* The constant banks of single functions, and what their weak copies leave in them.
 *
 * Part of merge. Requires: the copy that each name uses. Makes: .nv.constant0.K of kernels,
 * .nv.constant2.K of kernels as far as their own code fills it, and the blocks of device functions
 * that layout_constant gives to kernels.
 *
 * nvlink keeps one section of compiler-made constants for each function name. A copy that is
 * accepted empties it and puts its block at the start; one that is rejected still appends its
 * block, which nothing refers to. The section keeps its place and its alignment when it is emptied;
 * if it stays empty not even its name remains. Observed with nvlink 13.0.88 in 250 links of two to
 * four copies of kernels and device functions, with literals (8 bytes aligned) and jump tables (4
 * bytes). */
#include "link/link.h"

static void empty(struct output_section *section)
{
    if (!section)
        return;
    section->chunks_count = 0;
    section->size = 0;
}

void merge_constant_accept(struct function *function)
{
    empty(function->compiler_constants);
    empty(function->set_aside);
}

/* Blocks that wait have no home yet; where those of losing copies go is not the home of what else
 * the object says of them. */
static void append(link_context *link, struct output_section *output, struct input_object *object,
                   uint32_t section, bool is_home)
{
    output_append(link, output, object, section);
    if (!is_home)
        object->contributions[section] = (struct contribution){.set_aside = true};
}

static bool lost_to_global(const struct symbol *symbol, const struct input_object *object)
{
    return symbol->binding == STB_GLOBAL && symbol->object->position < object->position;
}

/* A kernel's parameters. Weak copies have banks of one size and share one; that of a GLOBAL
 * definition is appended to what a weak copy before it has left, as are those of the weak copies
 * after it (all of 20 links). */
static void merge_parameters(link_context *link, struct input_object *object, uint32_t section,
                             uint32_t index, enum copy_state copy)
{
    struct symbol *symbol = object->symbols[index];
    struct function *function = symbol->function;
    if (copy == COPY_REJECTED && !lost_to_global(symbol, object)) {
        object->contributions[section].set_aside = true;
        return;
    }
    if (!function->parameters) {
        function->parameters = output_add_parameters(link, function);
        if (!function->parameters->info)
            function->parameters->info = function->text;
        function->parameters->rel->link = link->output.symbol_table;
    }
    bool weak = elf_view_symbol(&object->elf, VIEW_NATIVE, index).binding == STB_WEAK;
    if (copy != COPY_REJECTED && weak)
        empty(function->parameters);
    append(link, function->parameters, object, section, copy == COPY_USED);
}

static struct output_section *own_bank(link_context *link, struct function *function, int bank)
{
    if (!function->compiler_constants) {
        const char *prefix = arena_format(ARENA, ".nv.constant%d.", bank);
        function->compiler_constants =
            output_add_named_after(link, prefix, function, SHAPE_FUNCTION_CONSTANT);
        if (!function->compiler_constants->info)
            function->compiler_constants->info = function->text;
    }
    return function->compiler_constants;
}

static struct output_section *set_aside(link_context *link, struct function *function, int bank)
{
    if (!function->set_aside) {
        function->set_aside = ARENA_NEW(ARENA, struct output_section);
        function->set_aside->alignment = 1;
        *ARENA_APPEND(ARENA, link, set_aside) = (struct constant_block){function, bank};
    }
    return function->set_aside;
}

/* The block of a device function is set aside, but one that comes first from a rejected copy makes
 * an ordinary section, which then takes all later rejected ones. */
static struct output_section *bank_of(link_context *link, struct function *function, int bank,
                                      enum copy_state copy)
{
    if (function->kernel)
        return own_bank(link, function, bank);
    if (copy != COPY_REJECTED)
        return set_aside(link, function, bank);
    if (function->compiler_constants || !function->set_aside)
        return own_bank(link, function, bank);
    return function->set_aside;
}

void merge_constant(link_context *link, struct input_object *object, uint32_t section)
{
    const struct elf_section *input = &object->elf.sections[section];
    uint32_t index = 0;
    struct symbol *symbol = input_section_function(object, input, &index);
    struct function *function = symbol ? symbol->function : NULL;
    if (!function || !function->kept)
        return;
    enum copy_state copy = (enum copy_state)object->copies[index];
    int bank = section_type_constant_bank(input->type);
    if (bank == 0) {
        merge_parameters(link, object, section, index, copy);
        return;
    }
    struct output_section *output = bank_of(link, function, bank, copy);
    append(link, output, object, section, copy == COPY_USED && output != function->set_aside);
}
