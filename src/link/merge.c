/* Input sections to output sections, in nvlink's order of creation.
 *
 * Requires: which functions stay. Makes: output sections with their chunks, symbol places, where
 * each input section went. Frozen after: which output section each input section goes to.
 *
 * The order in which sections and symbols are created decides the order in the file and in both
 * string tables. It was found by comparing 700 random multi-file links with nvlink 13.0.88 byte by
 * byte: for each object its functions, then its other symbols, then what is left of its sections,
 * then attributes, then relocations. Whole input sections are appended; nothing is sorted. */
#include "link/compat.h"
#include "link/function_data.h"
#include "link/link.h"
#include "link/shared.h"
#include "link/system_symbols.h"
#include "link/views.h"
#include "link/weak.h"
#include "link/whole_programs.h"

/* --------------------------------------------------------------------------------------------- */
/* Functions                                                                                     */

static struct linked_name *name_of(link_context *link, enum section_prefix prefix,
                                   const struct function *function)
{
    return link_section_name(link, prefix, function->symbol->name);
}

static void add_text(link_context *link, struct function *function)
{
    struct output_section *text =
        output_add_of_function(link, name_of(link, PREFIX_TEXT, function), function, SHAPE_TEXT);
    text->names_symbols = true;
    text->tells_function = true;
    function->text = text;
}

static void add_info(link_context *link, struct function *function)
{
    function->info = output_add_of_function(link, name_of(link, PREFIX_INFO, function), function,
                                            SHAPE_FUNCTION_INFO);
    function->info->names_symbols = true;
    function->info->info = function->text;
}

/* A kernel's attributes and shared memory have their places right behind its code; also those of
 * one that stays as a mere function, if it was first met as undefined (observed with
 * -kernels-used) or if it is the host's code that does not refer to it. */
static void add_function_sections(link_context *link, struct function *function, bool was_met)
{
    add_text(link, function);
    bool is_kernel = function->kernel && !function->unnamed;
    if (!is_kernel && !(function->entry && (was_met || link->has_host_references)))
        return;
    add_info(link, function);
    merge_add_shared(link, function);
}

static void merge_function(link_context *link, struct input_object *object, uint32_t index)
{
    struct symbol *symbol = object->symbols[index];
    struct function *function = symbol->function;
    if (!function->kept) {
        if (function->entry && link->has_host_references && object->copies[index] != COPY_NONE &&
            !function->shared)
            merge_late_shared(link, function);
        return;
    }
    bool was_met = symbol->created;
    output_place_symbol(link, symbol);
    uint8_t copy = object->copies[index];
    if (!copy_is_accepted(copy))
        return;
    if (function->alias_of)
        return;
    if (!function->text && function->is_stub)
        unified_add_stub(link, function);
    else if (!function->text)
        add_function_sections(link, function, was_met);

    merge_constant_accept(function);
    if (copy != COPY_USED)
        return;
    uint32_t section = elf_view_symbol(&object->elf, VIEW_NATIVE, index).section;
    if (object->contributions[section].section)
        return; /* a function in its code came first */
    output_append(link, function->text, object, section);
    function->text->flags |= object->elf.sections[section].flags & SHF_BARRIERS;
    function->text->info_high = (uint8_t)(object->elf.sections[section].info >> 24);
    symbol->section = function->text;
    if (function->is_stub)
        symbol->value = object->contributions[section].offset;
}

/* It has its place in the kernel's code, which it brings in; what belongs to a removed kernel goes.
 */
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
/* Data sections                                                                                 */

/* Memory with contents stands where its flags say. */
static enum section_rank rank_of_contents(uint64_t flags)
{
    if (flags & SHF_WRITE)
        return RANK_DATA;
    return flags & SHF_ALLOC ? RANK_CONSTANT : RANK_METADATA;
}

/* The first input section of a name gives the output section its flags and its function (observed
 * with flags 0 to 3 and with sections of functions). */
static void adopt_header(link_context *link, struct output_section *output,
                         const struct input_object *object, const struct elf_section *input,
                         struct function *function)
{
    output->flags = elf_view_section_flags(&object->elf, input);
    output_adopt_header(link, output, &object->elf, input->index);
    output_set_bank(link, output, section_type_constant_bank(input->type));
    if (output->content == CONTENT_CHUNKS)
        output->rank = rank_of_contents(output->flags);
    output->owner = function;
    output->info = function ? function->text : NULL;
}

/* What belongs to a removed function goes with it; nvlink 13.0.88 refuses it as a "reference to
 * deleted section". */
void merge_append(link_context *link, struct input_object *object, uint32_t section,
                  enum section_shape shape)
{
    const struct elf_section *input = &object->elf.sections[section];
    const struct symbol *owner = input_section_function(object, input, NULL);
    if (owner && owner->function && !owner->function->kept)
        return;
    struct linked_name *name = link_intern(link, input->name);
    bool is_new = !name->section;
    struct output_section *output = output_named(link, name, shape);
    if (is_new)
        adopt_header(link, output, object, input, owner ? owner->function : NULL);
    output_append(link, output, object, section);
}

static void merge_data(link_context *link, struct input_object *object, uint32_t section)
{
    if (object->contributions[section].section || object->contributions[section].set_aside)
        return;
    const struct elf_section *input = &object->elf.sections[section];
    switch (input_section_kind(input)) {
    case INPUT_GLOBAL:
        merge_append(link, object, section, SHAPE_GLOBAL);
        break;
    case INPUT_GLOBAL_INIT:
        merge_append(link, object, section, SHAPE_GLOBAL_INIT);
        break;
    case INPUT_CONSTANT_USER:
        merge_append(link, object, section,
                     section_type_constant_bank(input->type) == CONSTANT_BANK_PIC
                         ? SHAPE_PIC_CONSTANT
                         : SHAPE_CONSTANT);
        break;
    case INPUT_LOCAL:
        merge_append(link, object, section, SHAPE_LOCAL);
        break;
    case INPUT_CARRIED:
        merge_append(link, object, section, SHAPE_CARRIED);
        break;
    case INPUT_UNIFIED:
        unified_merge(link, object, section);
        break;
    case INPUT_CONSTANT_ENTRY:
        merge_constant(link, object, section);
        break;
    case INPUT_DEBUG:
        debug_merge(link, object, section);
        break;
    default:
        break;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Symbols that are no functions                                                                 */

/* Of the linker's own symbols, in relocatable outputs too. */
static uint64_t reserved_value(const link_context *link, const struct symbol *symbol)
{
    if (symbol->linker_made == LINKER_SYMBOL_RESERVED_SIZE)
        return link->target->shared_reserved;
    bool first = symbol->linker_made == LINKER_SYMBOL_RESERVED_FIRST;
    return first && link_has_mercury(link) ? MERCURY_RESERVED_PART : 0;
}

/* What an undefined symbol has for a value (observed in symbols and fields). */
static uint64_t undefined_value(const link_context *link, const struct symbol *symbol)
{
    if (link->options.relocatable)
        return symbol->linker_made ? reserved_value(link, symbol) : 0;
    bool local = symbol->binding == STB_LOCAL || symbol->dropped;
    if (symbol_is_weak_undefined(symbol) || (local && !symbol->linker_made))
        return UINT64_MAX;
    return symbol->linker_made ? reserved_value(link, symbol) : 0;
}

/* Names of compiler-made constants never reach the output, whatever their visibility. */
static bool is_compiler_constant(const struct input_object *object, const struct elf_symbol *input)
{
    if (input->section == SHN_UNDEF || input->section >= object->elf.section_count)
        return false;
    const struct elf_section *section = &object->elf.sections[input->section];
    return input_section_kind(section) == INPUT_CONSTANT_ENTRY &&
           section_type_constant_bank(section->type) == CONSTANT_BANK_COMPILER;
}

/* With --preserve-relocs those of kernels keep their names (observed). */
static bool keeps_compiler_constant(const link_context *link, const struct input_object *object,
                                    const struct elf_symbol *input)
{
    const struct symbol *owner =
        input_section_function(object, &object->elf.sections[input->section], NULL);
    return link->options.relocatable || (link->options.preserve_relocations && owner &&
                                         owner->function && owner->function->entry);
}

/* From sm_100 on a kept one is named after its section, with its number among the
 * compiler-made constants of the object (observed). */
static void name_compiler_constant(link_context *link, struct input_object *object,
                                   struct symbol *symbol, const struct elf_symbol *input)
{
    object->compiler_constants++;
    symbol->dropped = !keeps_compiler_constant(link, object, input);
    if (symbol->dropped || link->options.relocatable)
        return;
    symbol->binding = STB_LOCAL; /* also of a weak kernel (observed) */
    if (!link_has_mercury(link))
        return;
    const char *bank = object->elf.sections[input->section].name;
    const char *merged = views_merged_name(link, link_intern(link, bank))->name.text;
    symbol->name =
        link_intern(link, arena_format(ARENA, "%s.%u", merged, object->compiler_constants));
}

static void merge_variable(link_context *link, struct input_object *object, uint32_t index,
                           const struct elf_symbol *input)
{
    struct symbol *symbol = object->symbols[index];
    if (!symbol->defined && !symbol->common) {
        symbol->value = undefined_value(link, symbol);
        if (stands_for_constant_size(symbol_name(symbol), symbol->name->name.size))
            *ARENA_APPEND(ARENA, link, constant_sizes) = symbol;
    }
    if ((input->other & STO_CUDA_SPACE) == STO_CUDA_SHARED) {
        merge_shared_symbol(link, object, index, input);
        return;
    }
    if ((input->other & STO_CUDA_SPACE) == STO_CUDA_RESERVED_SHARED && object->copies[index]) {
        merge_reserved_shared(link, object, index, input);
        return;
    }
    if (symbol_type_is_texture(input->type))
        textures_add(link, object, symbol);
    uint8_t copy = object->copies[index];
    if (copy == COPY_REJECTED)
        return;
    if (is_compiler_constant(object, input))
        name_compiler_constant(link, object, symbol, input);
    if (copy_is_accepted(copy))
        merge_data(link, object, input->section);
    if (copy == COPY_USED) {
        const struct contribution *home = &object->contributions[input->section];
        symbol->section = home->section;
        symbol->value = home->offset + input->value;
    }
    output_place_symbol(link, symbol);
}

/* They go with their kernel; those of a copy that lost stay (observed with copies that differ). */
static void merge_texture_parameter(link_context *link, struct input_object *object, uint32_t index,
                                    const struct elf_symbol *input)
{
    const struct elf_section *code = &object->elf.sections[input->section];
    const struct symbol *owner = input_section_function(object, code, NULL);
    if (!owner || !owner->function || !owner->function->text)
        return;
    struct symbol *symbol = object->symbols[index];
    symbol->section = owner->function->text;
    textures_add(link, object, symbol);
    output_place_symbol(link, symbol);
}

/* The function whose section a symbol is in, none for sections of the whole object. */
struct home {
    struct function *function;
    enum input_kind kind;
    enum copy_state copy; /* of the function */
};

static struct home symbol_home(const struct input_object *object, const struct elf_symbol *input)
{
    struct home home = {.kind = INPUT_OTHER};
    if (input->section == SHN_UNDEF || input->section >= object->elf.section_count)
        return home;
    const struct elf_section *section = &object->elf.sections[input->section];
    home.kind = input_section_kind(section);
    if (!(section->flags & SHF_INFO_LINK))
        return home;
    uint32_t owner_index = 0;
    struct symbol *owner = input_section_function(object, section, &owner_index);
    home.function = owner ? owner->function : NULL;
    home.copy = (enum copy_state)object->copies[owner_index];
    return home;
}

/* With --preserve-relocs names in a copy of a kernel that lost stay: of parameters in any, of
 * compiler-made constants in one that was replaced (observed in 224 links of two and three copies).
 */
static void keep_name(link_context *link, const struct input_object *object, uint32_t index,
                      const struct elf_symbol *input, const struct home *home)
{
    struct symbol *symbol = object->symbols[index];
    const struct function *kernel = home->function;
    const struct elf_section *section = &object->elf.sections[input->section];
    int bank = section_type_constant_bank(section->type);
    bool keeps = link->options.preserve_relocations && !link->options.relocatable;
    if (!keeps || object->copies[index] != COPY_USED || !kernel)
        return;
    if (bank == CONSTANT_BANK_PARAMETERS && kernel->parameters) {
        uint64_t place =
            link_has_mercury(link) ? 0 : merge_constant_lost_parameters(kernel, object, section);
        symbol->section = kernel->parameters;
        symbol->value = place + input->value;
        output_place_symbol(link, symbol);
    } else if (bank == CONSTANT_BANK_COMPILER && kernel->entry && home->copy == COPY_REPLACED) {
        symbol->section = function_rare(kernel)->own_constants;
        symbol->value = input->value;
    }
}

static void merge_variables(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        if (!object->symbols[i] || symbol_is_function(object->symbols[i]))
            continue;
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (elf_view_is_texture_parameter(&object->elf, &input)) {
            merge_texture_parameter(link, object, i, &input);
            continue;
        }
        struct home home = symbol_home(object, &input);
        if (home.function && home.kind == INPUT_SHARED_ENTRY && !home.function->shared)
            merge_late_shared(link, home.function);
        bool of_rejected = home.kind == INPUT_CONSTANT_ENTRY && home.copy == COPY_REJECTED;
        if (of_rejected && is_compiler_constant(object, &input))
            object->compiler_constants++; /* it counts for the names of the others (observed) */
        if (!of_rejected && (!home.function || home.function->kept))
            merge_variable(link, object, i, &input);
        /* A rejected copy's bank is read with what no symbol brings in. */
        if (of_rejected || home.copy == COPY_REPLACED)
            keep_name(link, object, i, &input, &home);
    }
}

static bool is_tool_note(const struct elf_section *section)
{
    return section->type == SHT_NOTE && section->flags & SHF_TKINFO_NOTE;
}

/* What no symbol brought in; memory without contents and without a used symbol is left out. Notes
 * on tools stand behind our own, see metadata.c. */
static void merge_rest(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *input = &object->elf.sections[i];
        enum input_kind kind = input_section_kind(input);
        if (is_tool_note(input))
            *ARENA_APPEND(ARENA, link, tool_notes) = (struct section_input){object, input};
        else if (kind != INPUT_GLOBAL && kind != INPUT_LOCAL)
            merge_data(link, object, i);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Attributes and relocations                                                                    */

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
        TRACE(TRACE_WEAK_RECORDS);
    if (object->copies[index] == COPY_REJECTED)
        return;
    if (!function->kept) {
        if (object->copies[index] == COPY_USED)
            merge_records(link, object, input, NULL, NULL);
        return;
    }
    if (!function->info)
        add_info(link, function);
    if (object->copies[index] == COPY_USED)
        merge_records(link, object, input, function->info, function);
}

/* With Mercury code its relocations decide which lists there are (observed: only these are read).
 */
static bool is_relocation_list(const link_context *link, const struct elf_section *section)
{
    return link_has_mercury(link) ? section->type == SHT_MERCURY_RELA
                                  : input_section_kind(section) == INPUT_RELOCATIONS;
}

/* In their order, which is that of compilers mostly: attributes first. */
static void merge_descriptions(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        if (input_section_kind(section) == INPUT_INFO)
            merge_info(link, object, section);
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
            TRACE(TRACE_MERCURY_SKIPPED, i);
}

static void merge_object(link_context *link, struct input_object *object)
{
    if (link->trace.categories)
        trace_skipped(link, object);
    merge_functions(link, object);
    whole_programs_place(link, object);
    merge_variables(link, object);
    merge_rest(link, object);
    merge_descriptions(link, object);
}

/* --------------------------------------------------------------------------------------------- */

static bool commons_remain(const link_context *link)
{
    for (size_t i = 0; i < link->commons_count; i++)
        if (link->commons[i]->common)
            return true;
    return false;
}

static struct output_section *add_pairs_section(link_context *link, const char *name,
                                                enum section_shape shape)
{
    struct output_section *section = output_add(link, name, shape);
    section->names_symbols = true;
    return section;
}

void merge(link_context *link)
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
    output->callgraph = add_pairs_section(link, ".nv.callgraph", SHAPE_CALLGRAPH);
    output->prototype = add_pairs_section(link, ".nv.prototype", SHAPE_PROTOTYPE);
}
