/* The constant banks of single functions, and what their weak copies leave in them.
 *
 * Part of merge. Requires: the copy that each name uses. Makes: .nv.constant0.K of kernels,
 * .nv.constant2.K of kernels as far as their own code fills it, and the blocks of device functions
 * that layout_constant gives to kernels.
 *
 * Compiler-made constants of copies that are accepted share one section. A rejected copy appends
 * its block, which nothing refers to, to the first section that was made under the function's name;
 * when there is none it makes one, and accepted copies then have another of the same name.
 * Accepting a copy empties the first section, which keeps its place and its alignment, and only
 * that one, even if the earlier copies' block is in the other. What stays empty leaves not even its
 * name. Observed with nvlink 13.0.88 in 300 links of two to five copies of kernels and device
 * functions, with literals (8 bytes aligned) and jump tables (4 bytes). */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/merge/merge.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Not that of a static function of the name, whose constants nvlink takes away. */
void merge_constant_accept(struct function *function)
{
    struct output_section *first = function_rare(function)->first_constants;
    if (first && first->owner == function)
        output_empty(first);
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

/* Of all sections of functions only these have the mark as their first input has it: parameters,
 * and compiler-made constants of rejected copies (observed with objects of ptxas 12.0 to 12.3). */
static void adopt_mark(struct output_section *bank, const struct elf_section *input)
{
    if (input->is_unmarked)
        bank->flags &= ~(uint64_t)SHF_INFO_LINK;
}

static bool lost_to_global(const struct symbol *symbol, const struct input_object *object)
{
    return symbol->binding == STB_GLOBAL && symbol->object->position < object->position;
}

uint64_t merge_constant_lost_parameters(const struct function *kernel,
                                        const struct input_object *object,
                                        const struct elf_section *section)
{
    return lost_to_global(kernel->symbol, object)
               ? align_up(kernel->parameters->size, elf_section_alignment(section))
               : 0;
}

/* A weak copy's parameters lie over the first ones of the name; behind them stand those of static
 * kernels of the name (observed in all of 440 links of two and three kernels). False if they have
 * another size, as the first kernel that stays can have where an earlier static one goes. */
static bool lay_over_first(struct output_section *bank, struct input_object *object,
                           uint32_t section, bool is_home)
{
    if (!bank->chunks_count || bank->chunks[0].size != object->elf.sections[section].size)
        return false;
    bank->chunks[0] = chunk_of(object, section, 0);
    object->contributions[section] = (struct contribution){.set_aside = true};
    if (is_home)
        object->contributions[section] = (struct contribution){.section = bank};
    return true;
}

/* A kernel's parameters. Weak copies have banks of one size and share one; that of a GLOBAL
 * definition is appended to what a weak copy before it has left, as are those of the weak copies
 * after it (all of 20 links). */
static void merge_parameters(link_context *link, struct input_object *object, uint32_t section,
                             uint32_t index, enum copy_state copy)
{
    struct symbol *symbol = object->symbols[index];
    struct function *function = symbol->function;
    /* With Mercury code nvlink makes the bank anew, one for each kernel. */
    if (copy == COPY_DISCARDED && (!lost_to_global(symbol, object) || link_has_mercury(link))) {
        TRACE(&link->trace, TRACE_PARAMETERS_REPEATED, symbol_name(symbol));
        object->contributions[section].set_aside = true;
        return;
    }
    if (!function->parameters) {
        function->parameters = output_add_parameters(link, function);
        adopt_mark(function->parameters, &object->elf.sections[section]);
        if (!link_has_mercury(link))
            output_adopt_header(link, function->parameters, &object->elf, section);
        if (!function->parameters->info)
            function->parameters->info = function->text;
    }
    bool is_home = copy == COPY_USED;
    bool weak = elf_view_symbol(&object->elf, VIEW_NATIVE, index).binding == STB_WEAK;
    if (link_has_mercury(link))
        output_empty(function->parameters);
    if (copy != COPY_DISCARDED && weak &&
        lay_over_first(function->parameters, object, section, is_home))
        return;
    append(link, function->parameters, object, section, is_home);
}

struct linked_name *merge_constant_name(link_context *link, int bank,
                                        const struct function *function)
{
    const char *prefix = arena_format(&link->arena, ".nv.constant%d.", bank);
    return link_join_name(link, prefix, function->symbol->name);
}

static struct output_section *new_bank(link_context *link, struct function *function, int bank)
{
    struct linked_name *name = merge_constant_name(link, bank, function);
    struct output_section *section =
        function_rare(function)->first_constants
            ? output_add_of_function(link, name, function, SHAPE_FUNCTION_CONSTANT)
            : output_add_named_after(link, name, function, SHAPE_FUNCTION_CONSTANT);
    if (!section->info) /* a second name has the code of the function behind it */
        section->info = function->alias_of ? function->alias_of->text : function->text;
    output_set_bank(link, section, bank);
    return section;
}

/* Whether the function has a section of the output, or its block waits. */
static bool has_bank(const link_context *link, const struct function *function)
{
    return function->entry || link->options.relocatable;
}

/* A section that is none of the output. That of a static function is found by its name. */
static struct output_section *new_block(link_context *link, struct function *function)
{
    struct output_section *section = ARENA_NEW(&link->arena, struct output_section);
    section->alignment = 1;
    section->owner = function;
    struct function *first = function_first_static(link, function);
    if (function->symbol->binding == STB_LOCAL && first && !function_rare(first)->static_constants)
        function_add_rare(link, first)->static_constants = section;
    return section;
}

/* The block of a device function waits for layout_constant. */
static struct output_section *set_aside(link_context *link, struct function *function, int bank)
{
    *ARENA_APPEND(&link->arena, link->merge, set_aside) = (struct constant_block){function, bank};
    return new_block(link, function);
}

/* What a static function of the same name has made. What accepted copies bring stays apart, of
 * kernels in sections of one name; blocks of the functions that kernels reach, and of rejected
 * copies, go to the first (observed in 288 links of static kernels, and in 252 of static and GLOBAL
 * or weak ones). */
static struct output_section *constants_of_name(link_context *link, const struct function *function,
                                                int bank)
{
    const struct function *first = function_first_static(link, function);
    if (link->options.relocatable || !first)
        return NULL;
    if (!function->entry)
        return function->symbol->binding == STB_LOCAL ? NULL
                                                      : function_rare(first)->static_constants;
    return merge_constant_name(link, bank, function)->section;
}

/* A function of a name that the driver has gets its bank here, and what is in it as a kernel does,
 * if it calls what has constants; its own wait. */
static struct output_section *own_constants(link_context *link, struct function *function, int bank)
{
    struct rare_function *rare = function_add_rare(link, function);
    if (!rare->own_constants && function->is_system && function->kernel)
        new_bank(link, function, bank);
    if (!rare->own_constants && !rare->first_constants)
        rare->first_constants = constants_of_name(link, function, bank);
    if (!rare->own_constants)
        rare->own_constants = has_bank(link, function) ? new_bank(link, function, bank)
                                                       : set_aside(link, function, bank);
    if (!rare->first_constants)
        rare->first_constants = rare->own_constants;
    return rare->own_constants;
}

/* True when a kernel's bank already begins with these constants. */
static bool begins_with(const struct output_section *bank, const struct elf_section *input)
{
    if (!bank->chunks_count)
        return false;
    const struct chunk *held = &bank->chunks[0];
    const struct elf_section *section = held->input;
    return input->size <= section->size && !memcmp(section->data, input->data, input->size);
}

/* Another copy of the function was accepted before, and its constants are not in the first section:
 * nvlink lays the new ones over them, which must then be equal. Those that are not replace them
 * here (nvlink: "overlapping non-identical data" or "overlapping data spans too much"). */
static void append_accepted(link_context *link, uint32_t index, struct input_object *object,
                            uint32_t section, int bank)
{
    struct function *function = object->symbols[index]->function;
    bool is_home = object->copies[index] == COPY_USED && has_bank(link, function);
    struct output_section *output = own_constants(link, function, bank);
    bool overlays = function_rare(function)->first_constants != output;
    if (overlays && has_bank(link, function) &&
        begins_with(output, &object->elf.sections[section])) {
        TRACE(&link->trace, TRACE_CONSTANTS_OVERLAP, 0ULL, index, output->creation);
        *output_add_chunk(link, output) = chunk_of(object, section, 0);
        object->contributions[section] =
            (struct contribution){.section = output, .set_aside = !is_home};
        return;
    }
    if (overlays)
        output_empty(output);
    append(link, output, object, section, is_home);
}

struct output_section *merge_constant_first(link_context *link, struct function *function, int bank)
{
    struct rare_function *rare = function_add_rare(link, function);
    if (!rare->first_constants)
        rare->first_constants = constants_of_name(link, function, bank);
    if (!rare->first_constants) {
        rare->first_constants = new_bank(link, function, bank);
        TRACE(&link->trace, TRACE_BLOCK_NEW_BANK, section_name(link, rare->first_constants));
    }
    return rare->first_constants;
}

/* nvlink makes native jump tables anew from sm_100 on; see discarded_blocks.h for those of copies
 * that lost, which are 0 until then. */
static void append_discarded(link_context *link, struct output_section *output,
                             struct input_object *object, uint32_t section)
{
    if (!output->chunks_count)
        adopt_mark(output, &object->elf.sections[section]);
    append(link, output, object, section, false);
    if (output_counterpart(output))
        output->chunks[output->chunks_count - 1].bytes =
            ARENA_ARRAY(&link->arena, uint8_t, object->elf.sections[section].size + 1);
}

/* What losing copies of its name bring goes to a removed static function's, too, and so nowhere
 * (observed). */
static void leave_block(link_context *link, struct function *function, int bank)
{
    if (bank != 0 && function->symbol->binding == STB_LOCAL && !has_bank(link, function))
        new_block(link, function);
}

void merge_constant(link_context *link, struct input_object *object, uint32_t section)
{
    const struct elf_section *input = &object->elf.sections[section];
    uint32_t index = 0;
    struct symbol *symbol = input_section_function(object, input, &index);
    struct function *function = symbol ? symbol->function : NULL;
    if (!function)
        return;
    int bank = section_type_constant_bank(input->type);
    if (!function->kept) {
        leave_block(link, function, bank);
        return;
    }
    enum copy_state copy = (enum copy_state)object->copies[index];
    if (copy == COPY_DISCARDED && link->options.relocatable)
        return; /* the final link would take bytes without symbols for the winner's */
    if (bank == 0) {
        merge_parameters(link, object, section, index, copy);
        return;
    }
    if (copy == COPY_DISCARDED)
        append_discarded(link, merge_constant_first(link, function, bank), object, section);
    else
        append_accepted(link, index, object, section, bank);
}
