/* Creates the output sections in nvlink's order, and assigns each input section to an output
 * section.
 *
 * Requires: CODE_CHECKED (which functions are kept, and their code).
 * Makes: MERGED, output sections with their chunks, attributes, offsets of symbols, and the
 * contribution of each input section.
 * Frozen after: SECTIONS, except that layout_constant adds compiler-made constants, and metadata
 * adds tool notes.
 *
 * The order in which sections and symbols are created decides their order in the file and in both
 * string tables. For each object, merge creates:
 *
 *   1. the symbols and sections of its functions
 *   2. its other symbols
 *   3. its sections that are not merged yet
 *   4. its attributes and lists of relocations, in the order of the input's sections
 *
 * This order was found by comparing 700 random multi-file links with nvlink 13.0.88 byte by byte.
 * Whole input sections are appended. Nothing is sorted, except in line tables that nvlink
 * regenerates (debug_line.c). */
#include "link/merge/merge.h"

#include "base/arena.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/merge/merge_sections.h"
#include "link/merge/merge_shared.h"
#include "link/merge/merge_state.h"
#include "link/merge/merge_unified.h"
#include "link/merge/start_output.h"
#include "link/model/compat.h"
#include "link/model/function_data.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/release.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

/* --------------------------------------------------------------------------------------------- */
/* Functions                                                                                     */

static struct linked_name *name_of(link_context *link, enum section_prefix prefix,
                                   const struct function *function)
{
    return link_section_name(link, prefix, function->symbol->name);
}

static void add_function_code(link_context *link, struct function *function)
{
    struct output_section *text =
        output_add_of_function(link, name_of(link, PREFIX_TEXT, function), function, SHAPE_TEXT);
    text->names_symbols = true;
    text->info_is_function = true;
    function->text = text;
}

static void add_function_info(link_context *link, struct function *function)
{
    function->info = output_add_of_function(link, name_of(link, PREFIX_INFO, function), function,
                                            SHAPE_FUNCTION_INFO);
    function->info->names_symbols = true;
    function->info->info = function->text;
}

/* Makes the sections of a function when its first copy is accepted. For the following functions, it
 * makes the sections for attributes and shared memory directly after the section for code:
 *
 *   - kernels
 *   - functions with the name of a system function
 *   - kernels that are kept as plain functions because host code does not refer to them
 *   - kernels that are kept as plain functions and were first seen as undefined (observed with
 *     -kernels-used)
 *
 * For all other functions, these sections are made later, when they are needed. */
static void add_function_sections(link_context *link, struct function *function, bool was_seen)
{
    add_function_code(link, function);
    bool is_kernel = function->kernel && !function->unnamed;
    if (!is_kernel && !function->is_system &&
        !(function->entry && (was_seen || link->resolve->has_host_references)))
        return;
    add_function_info(link, function);
    merge_add_shared(link, function);
}

/* Merges one function symbol of an object: places the symbol in the output's symbol lists, makes
 * the function's sections for the first accepted copy, and appends the code of the used copy. A
 * removed function leaves at most one trace in the output: the name of its section of shared
 * memory. */
static void merge_function(link_context *link, struct input_object *object, uint32_t index)
{
    struct symbol *symbol = object->symbols[index];
    struct function *function = symbol->function;
    if (!function->kept) {
        bool leaves_name = (function->is_system && !function->alias_of) ||
                           (function->entry && link->resolve->has_host_references);
        if (leaves_name && object->copies[index] != COPY_NONE && !function->shared)
            merge_late_shared(link, function);
        return;
    }
    bool was_seen = symbol->created;
    output_place_symbol(link, symbol);
    uint8_t copy = object->copies[index];
    if (!copy_is_accepted(copy))
        return;
    if (function->alias_of)
        return;
    if (!function->text && function->is_stub)
        unified_add_stub(link, function);
    else if (!function->text)
        add_function_sections(link, function, was_seen);

    merge_constant_accept(function);
    if (copy != COPY_USED)
        return;
    uint32_t section = elf_view_symbol(&object->elf, VIEW_NATIVE, index).section;
    if (object->contributions[section].section)
        return; /* merged already, by merge_inner_function */
    output_append(link, function->text, object, section);
    function->text->flags |= object->elf.sections[section].flags & SHF_BARRIERS;
    function->text->info_high = (uint8_t)(object->elf.sections[section].info >> 24);
    symbol->section = function->text;
    if (function->is_stub)
        symbol->value = object->contributions[section].offset;
}

/* Merges a function symbol that is defined inside a kernel's code. Merges the kernel first. The
 * symbol is dropped if the kernel is removed. */
static void merge_inner_function(link_context *link, struct input_object *object, uint32_t index)
{
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    struct symbol *symbol = object->symbols[index];
    uint32_t owner = 0;
    if (input_section_function(object, &object->elf.sections[input.section], &owner))
        merge_function(link, object, owner);
    const struct contribution *home = &object->contributions[input.section];
    symbol->section = home->section;
    symbol->value = home->offset + input.value;
    symbol->dropped = !home->section;
    output_place_symbol(link, symbol);
}

static void merge_functions(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++)
        if (object->symbols[i] && object->symbols[i]->function)
            merge_function(link, object, i);
        else if (object->symbols[i] && symbol_is_function(object->symbols[i]))
            merge_inner_function(link, object, i);
}

/* --------------------------------------------------------------------------------------------- */

static bool is_tool_note(const struct elf_section *section)
{
    return section->type == SHT_NOTE && section->flags & SHF_TKINFO_NOTE;
}

/* Merges the sections that were not merged together with a symbol. Sections of kind INPUT_GLOBAL
 * and INPUT_LOCAL are skipped: they have no contents, and are merged only together with an accepted
 * definition in them. Tool notes are only collected, because metadata.c writes them after the tool
 * note of this link. */
static void merge_rest(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *input = &object->elf.sections[i];
        enum input_kind kind = input_section_kind(input);
        if (is_tool_note(input))
            *ARENA_APPEND(&link->arena, link->merge, tool_notes) =
                (struct section_input){object, input};
        else if (kind != INPUT_GLOBAL && kind != INPUT_LOCAL)
            merge_data(link, object, i);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Attributes and relocations                                                                    */

/* Merges one section of attributes. The output has only the attributes of the used copy of a
 * function. A superseded copy still creates the function's section of attributes. The records of a
 * removed function are not written, but some of their values are used. */
static void merge_info(link_context *link, struct input_object *object,
                       const struct elf_section *input)
{
    uint32_t index = 0;
    struct symbol *symbol = input_section_function(object, input, &index);
    if (!symbol) {
        merge_records(link, object, input, link->output.info, NULL);
        return;
    }
    struct function *function = symbol->function;
    if (!function || function->alias_of)
        return;
    if (object->copies[index] != COPY_USED)
        TRACE(&link->trace, TRACE_WEAK_RECORDS);
    if (object->copies[index] == COPY_DISCARDED)
        return;
    if (!function->kept) {
        if (object->copies[index] == COPY_USED)
            merge_records(link, object, input, NULL, NULL);
        return;
    }
    if (!function->info)
        add_function_info(link, function);
    if (object->copies[index] == COPY_USED)
        merge_records(link, object, input, function->info, function);
}

/* Whether merge_relocations reads the section. With Mercury code, only the Mercury relocations
 * decide which lists the output has, because nvlink reads no others (observed). */
static bool is_relocation_list(const link_context *link, const struct elf_section *section)
{
    return link_has_mercury(link) ? section->type == SHT_MERCURY_RELA
                                  : input_section_kind(section) == INPUT_RELOCATIONS;
}

/* Merges attributes, notes, relocations and function data, in the order of the input's sections. */
static void merge_descriptions(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        enum input_kind kind = input_section_kind(section);
        if (kind == INPUT_INFO)
            merge_info(link, object, section);
        else if (kind == INPUT_NOTES)
            merge_append(link, object, i, SHAPE_NOTES);
        else if (is_relocation_list(link, section))
            merge_relocations(link, object, section);
        else if (section->type == SHT_CUDA_FUNCTION_DATA)
            function_data_merge(link, object, section);
    }
}

static void trace_skipped(link_context *link, const struct input_object *object)
{
    for (uint32_t i = 1; !link_has_mercury(link) && i < object->elf.section_count; i++)
        if (object->elf.sections[i].view == VIEW_MERCURY)
            TRACE(&link->trace, TRACE_MERCURY_SKIPPED, i);
}

static void merge_object(link_context *link, struct input_object *object)
{
    if (link->trace.categories)
        trace_skipped(link, object);
    merge_functions(link, object);
    merge_variables(link, object);
    merge_rest(link, object);
    merge_descriptions(link, object);
    whole_programs_place(link, object);
}

/* --------------------------------------------------------------------------------------------- */

static bool commons_remain(const link_context *link)
{
    for (size_t i = 0; i < link->resolve->commons_count; i++)
        if (link->resolve->commons[i]->common)
            return true;
    return false;
}

static struct output_section *add_pairs_section(link_context *link, const char *name,
                                                enum section_shape shape,
                                                enum section_shape counterpart)
{
    struct output_section *section = output_add(link, name, shape);
    section->names_symbols = true;
    if (link_has_mercury(link) && link_follows(link, RELEASE_HAS_MERCURY_CALLS)) {
        output_add_counterpart(link, section, counterpart);
        output_counterpart(section)->names_symbols = true;
    }
    return section;
}

void pass_merge(link_context *link)
{
    struct output *output = &link->output;
    output_start(link);
    compat_start(link);
    unified_start_index(link);
    output_add_host_data(link);
    for (size_t i = 0; i < link->objects_count; i++)
        merge_object(link, link->objects[i]);
    if (commons_remain(link) && !link->options.relocatable)
        output_add_shared(link, ".nv.global", SHAPE_GLOBAL);
    output->global = output_find(link, ".nv.global");
    output->callgraph =
        add_pairs_section(link, ".nv.callgraph", SHAPE_CALLGRAPH, SHAPE_MERCURY_CALLGRAPH);
    output->prototype =
        add_pairs_section(link, ".nv.prototype", SHAPE_PROTOTYPE, SHAPE_MERCURY_PROTOTYPE);
}
