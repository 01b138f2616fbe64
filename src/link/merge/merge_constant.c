/* Merges the constant banks that belong to single functions: parameters of kernels, and
 * compiler-made constants.
 *
 * Part of pass_merge. Requires: it is decided which copy of each function is used. Makes:
 * .nv.constant0.K of kernels, .nv.constant2.K of kernels with the constants of their code, and
 * the blocks of device functions. layout_constant adds these blocks to the banks of kernels.
 *
 * The compiler-made constants of all copies of a function are in at most two sections of its name:
 *
 *   - All accepted copies share one section (own_constants).
 *   - A discarded copy appends its block, to which nothing refers, to the first section of the name
 *     (first_constants). This is own_constants if an accepted copy has already made that section.
 *     If not, the discarded copy makes the first section, and own_constants is a second one.
 *
 * When a copy is accepted, the first section is emptied, but keeps its position and its alignment.
 * The second section is not emptied then (see append_accepted). A section that is still empty at
 * the end is removed with its name.
 *
 * Observed with nvlink 13.0.88 in 300 links of two to five copies of kernels and device functions,
 * with literals (aligned to 8 bytes) and jump tables (aligned to 4 bytes). */
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

/* Does nothing if a static function of the same name created the first section. nvlink empties the
 * section even then, and the static function loses its constants. */
void merge_constant_accept(struct function *function)
{
    struct output_section *first = function_rare(function)->first_constants;
    if (first && first->owner == function)
        output_empty(first);
}

/* Appends an input section to an output section. If `is_home` is true, symbols and relocations of
 * the object that refer to the input section then refer to the appended bytes. `is_home` is false
 * for blocks that layout_constant places, and for blocks of unused copies. */
static void append_block(link_context *link, struct output_section *output,
                         struct input_object *object, uint32_t section, bool is_home)
{
    output_append(link, output, object, section);
    if (!is_home)
        object->contributions[section] = (struct contribution){.set_aside = true};
}

/* Clears SHF_INFO_LINK of the bank if the bank's first input section lacks it. Only two kinds of
 * banks adopt the flag of their first input: parameters, and compiler-made constants of discarded
 * copies (observed with objects of ptxas 12.0 to 12.3). */
static void adopt_info_link(struct output_section *bank, const struct elf_section *input)
{
    if (input->is_unmarked)
        bank->flags &= ~(uint64_t)SHF_INFO_LINK;
}

static bool was_discarded_for_global(const struct symbol *symbol, const struct input_object *object)
{
    return symbol->binding == STB_GLOBAL && symbol->object->position < object->position;
}

uint64_t merge_constant_discarded_parameters(const struct function *kernel,
                                             const struct input_object *object,
                                             const struct elf_section *section)
{
    return was_discarded_for_global(kernel->symbol, object)
               ? align_up(kernel->parameters->size, elf_section_alignment(section))
               : 0;
}

/* Makes a weak copy's parameters the first chunk of the bank, instead of the parameters of an
 * earlier copy. The chunks after it, parameters of static kernels of the same name, do not change
 * (observed in all of 440 links of two and three kernels). Returns false if the bank is empty or if
 * the sizes differ. The sizes can differ if the first kernel of the name is static and removed. */
static bool replace_first(struct output_section *bank, struct input_object *object,
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

/* Merges a kernel's parameters. Weak copies that precede a GLOBAL definition share one chunk of the
 * bank, because their parameters have the same size. The GLOBAL definition appends its parameters
 * to this chunk, and each weak copy that follows it appends its own (observed in 20 of 20 links).
 */
static void merge_parameters(link_context *link, struct input_object *object, uint32_t section,
                             uint32_t index, enum copy_state copy)
{
    struct symbol *symbol = object->symbols[index];
    struct function *function = symbol->function;
    /* With Mercury code nvlink regenerates the bank of each kernel, without parameters of discarded
     * copies. */
    if (copy == COPY_DISCARDED &&
        (!was_discarded_for_global(symbol, object) || link_has_mercury(link))) {
        TRACE(&link->trace, TRACE_PARAMETERS_REPEATED, symbol_name(symbol));
        object->contributions[section].set_aside = true;
        return;
    }
    if (!function->parameters) {
        function->parameters = output_add_parameters(link, function);
        adopt_info_link(function->parameters, &object->elf.sections[section]);
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
        replace_first(function->parameters, object, section, is_home))
        return;
    append_block(link, function->parameters, object, section, is_home);
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
    if (!section->info) /* an alias has the code of the function that it stands for */
        section->info = function->alias_of ? function->alias_of->text : function->text;
    output_set_bank(link, section, bank);
    return section;
}

/* Whether the compiler-made constants of the function have their own section in the output. If not,
 * they are a block, which is set aside for layout_constant. */
static bool has_bank(const link_context *link, const struct function *function)
{
    return function->entry || link->options.relocatable;
}

/* Makes the section for the block of a function. The section itself is not in the output. If it is
 * the first one for static functions of this name, sets static_constants, so that other functions
 * of the name find the block. */
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

/* Makes the block of a device function, and adds the function to the list from which
 * layout_constant adds blocks to the banks of kernels. */
static struct output_section *set_aside(link_context *link, struct function *function, int bank)
{
    *ARENA_APPEND(&link->arena, link->merge, set_aside) = (struct constant_block){function, bank};
    return new_block(link, function);
}

/* Returns the section that a function shares with the first static function of the same name, or
 * NULL if the function needs its own section. nvlink keeps the constants of accepted kernels of one
 * name apart, in several sections of this name. To the first of these sections it appends the
 * blocks of the functions that the kernels reach, and the constants of discarded copies (observed
 * in 288 links of static kernels, and in 252 links of static and GLOBAL or weak ones). */
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

/* Returns the section for the constants of the function's accepted copies. Makes it if there is
 * none. If the function has the name of a system function, also makes a bank for it:
 * layout_constant adds the constants of the function's callees to this bank, as to a kernel's bank.
 * The constants of such a function itself are a block. */
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

/* Whether the bank already begins with the bytes of `input`. */
static bool bank_begins_with(const struct output_section *bank, const struct elf_section *input)
{
    if (!bank->chunks_count)
        return false;
    const struct chunk *first = &bank->chunks[0];
    const struct elf_section *section = first->input;
    return input->size <= section->size && !memcmp(section->data, input->data, input->size);
}

/* Appends the constants of an accepted copy to own_constants. If own_constants is not
 * first_constants, it can already contain constants of an earlier accepted copy. nvlink then places
 * the new constants at the same offset, and refuses the link if they differ from the earlier ones
 * ("overlapping non-identical data" or "overlapping data spans too much"). warpld replaces the
 * earlier constants instead. */
static void append_accepted(link_context *link, uint32_t index, struct input_object *object,
                            uint32_t section, int bank)
{
    struct function *function = object->symbols[index]->function;
    bool is_home = object->copies[index] == COPY_USED && has_bank(link, function);
    struct output_section *output = own_constants(link, function, bank);
    bool overlays = function_rare(function)->first_constants != output;
    if (overlays && has_bank(link, function) &&
        bank_begins_with(output, &object->elf.sections[section])) {
        TRACE(&link->trace, TRACE_CONSTANTS_OVERLAP, 0ULL, index, output->creation);
        *output_add_chunk(link, output) = chunk_of(object, section, 0);
        object->contributions[section] =
            (struct contribution){.section = output, .set_aside = !is_home};
        return;
    }
    if (overlays)
        output_empty(output);
    append_block(link, output, object, section, is_home);
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

/* Appends the constants of a discarded copy. From sm_100 on nvlink regenerates native jump tables.
 * Therefore the chunk gets its own bytes, which are zero until discarded_blocks.c fills them. */
static void append_discarded(link_context *link, struct output_section *output,
                             struct input_object *object, uint32_t section)
{
    if (!output->chunks_count)
        adopt_info_link(output, &object->elf.sections[section]);
    append_block(link, output, object, section, false);
    if (output_counterpart(output))
        output->chunks[output->chunks_count - 1].bytes =
            ARENA_ARRAY(&link->arena, uint8_t, object->elf.sections[section].size + 1);
}

/* Makes a block for a removed static function. Constants of discarded copies of its name are then
 * added to this block, which is not in the output (observed). */
static void leave_first_block(link_context *link, struct function *function, int bank)
{
    if (bank != 0 && function->symbol->binding == STB_LOCAL && !has_bank(link, function))
        new_block(link, function);
}

/* Merges a section of bank 0 or 2: a kernel's parameters, or the compiler-made constants of one
 * copy of a function. Discarded copies are merged, too, but not removed functions. */
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
        leave_first_block(link, function, bank);
        return;
    }
    enum copy_state copy = (enum copy_state)object->copies[index];
    if (copy == COPY_DISCARDED && link->options.relocatable)
        return; /* because a final link would read its bytes instead of those of the used copy */
    if (bank == 0) {
        merge_parameters(link, object, section, index, copy);
        return;
    }
    if (copy == COPY_DISCARDED)
        append_discarded(link, merge_constant_first(link, function, bank), object, section);
    else
        append_accepted(link, index, object, section, bank);
}
