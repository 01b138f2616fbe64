/* Finds the constants that nothing refers to.
 *
 * Requires: MERGED (the bank of user constants).
 * Makes: CONSTANTS_MARKED: with --remove-unused-constants, symbol->referred of each constant.
 * Frozen after: nothing more.
 *
 * pass_repack and pass_share_constants remove constants that are not marked as referred to.
 *
 * A reference is a relocation in kept code, in data or in another constant, even if this other
 * constant is removed. Relocations in debug information are no references. Host code accesses
 * constants by name, so constants that a host object lists or that -variables-used names are kept,
 * too. All constants are kept with -g, or if some host object does not list its references.
 *
 * nvlink 13.0.88 does not have --remove-unused-constants. With -kernels-used, nvlink removes
 * constants when a bank overflows, and ignores host references (docs/quirks/constants.md). */
#include "format/elf_view.h"
#include "link/input/input_state.h"
#include "link/layout/layout_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/relocate/relocations.h"
#include "link/resolve/discarded_ranges.h"
#include "link/resolve/host_references.h"
#include "link/resolve/name_patterns.h"
#include "warpld.h"

static bool is_reference(const struct input_object *object, const struct elf_section *relocations)
{
    const struct elf_section *relocated = &object->elf.sections[relocations->info];
    uint32_t index = 0;
    if (input_section_kind(relocated) == INPUT_DEBUG)
        return false;
    return !input_section_function(object, relocated, &index) ||
           input_function_is_used(object, index);
}

static void mark_from_list(const struct input_object *object, const struct elf_section *relocations)
{
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        struct symbol *symbol = object->symbols[entry.symbol];
        if (symbol && relocation_is_read(object, relocations, &entry))
            symbol->referred = true;
    }
}

/* Marks the constants that inputs refer to. Reads only native relocations, because Mercury
 * relocations refer to the same constants (views.c). */
static void mark_from_inputs(link_context *link)
{
    for (size_t o = 0; o < link->objects_count; o++) {
        const struct input_object *object = link->objects[o];
        for (uint32_t i = 1; i < object->elf.section_count; i++) {
            const struct elf_section *section = &object->elf.sections[i];
            if (input_section_kind(section) == INPUT_RELOCATIONS && is_reference(object, section))
                mark_from_list(object, section);
        }
    }
}

struct names {
    struct name_patterns of_option;
    struct host_references *of_host;
};

static struct names read_names_of_constants(link_context *link)
{
    const struct warpld_options *options = &link->options;
    struct names names = {.of_host = host_references_of_constants(link)};
    name_patterns_init(&names.of_option, &link->arena);
    for (size_t i = 0; i < options->variables_used_count; i++)
        name_patterns_add_part(&names.of_option, options->variables_used[i]);
    return names;
}

static bool constant_is_named(struct names *names, const struct symbol *symbol)
{
    return name_patterns_have(&names->of_option, symbol_name(symbol)) ||
           host_references_have(names->of_host, symbol);
}

/* Marks the user constants that host code may refer to. Host code cannot refer to compiler-made
 * constants, because it does not know their names. */
static void mark_from_host(link_context *link)
{
    struct names names = read_names_of_constants(link);
    const struct output_section *bank = output_find(link, ".nv.constant3");
    for (size_t o = 0; bank && o < link->objects_count; o++) {
        const struct input_object *object = link->objects[o];
        for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
            struct symbol *symbol = object->symbols[i];
            if (symbol && symbol->object == object && symbol->section == bank)
                symbol->referred = symbol->referred || constant_is_named(&names, symbol);
        }
    }
}

void pass_unused_constants(link_context *link)
{
    if (!link->options.remove_unused_constants || link_is_for_debugger(link) ||
        link->input->has_silent_host_object)
        return;
    link->layout->has_unused_constants = true;
    mark_from_inputs(link);
    mark_from_host(link);
}
