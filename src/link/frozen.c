/* Fingerprints of what passes freeze; see frozen.h. */
#include "link/frozen.h"

#ifdef WARPLD_CHECK_FROZEN

#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "format/elf.h"
#include "format/elf_snapshot.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "format/unified_index.h"
#include "link/model/callgraph.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/relocate/relocate_state.h"

static void add_bytes(uint64_t *print, const void *bytes, size_t size)
{
    *print = XXH3_64bits_withSeed(size ? bytes : "", size, *print);
}

static void add_number(uint64_t *print, uint64_t number)
{
    add_bytes(print, &number, sizeof number);
}

/* Adds a pointer in place of the contents it points to. Fingerprints are compared only within one
 * link, in which a pointer identifies its structure. */
static void add_pointer(uint64_t *print, const void *pointer)
{
    add_number(print, (uint64_t)(uintptr_t)pointer);
}

/* --------------------------------------------------------------------------------------------- */
/* What is frozen before pass_merge, or by it                                                    */

static void add_object(uint64_t *print, const struct input_object *object)
{
    add_pointer(print, object);
    add_number(print, object->position);
    for (uint32_t i = 0; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        add_number(print, section->type);
        add_number(print, section->size);
        if (!elf_snapshot_is_code(section)) /* pass_check_prepared repairs code */
            add_pointer(print, section->data);
    }
}

static void add_inputs(uint64_t *print, const link_context *link)
{
    for (size_t i = 0; i < link->units_count; i++)
        add_number(print, link->units[i]->skipped);
    for (size_t i = 0; i < link->objects_count; i++)
        add_object(print, link->objects[i]);
}

static uint32_t symbols_of(const struct input_object *object)
{
    return object->symbols ? object->elf.symbols[VIEW_NATIVE].count : 0;
}

static void add_symbol_definition(uint64_t *print, const struct symbol *symbol)
{
    add_pointer(print, symbol);
    if (!symbol)
        return;
    add_pointer(print, symbol->object);
    add_number(print, symbol->input_index);
    add_number(print, symbol->defined);
    add_number(print, symbol->type);
}

static void add_definitions(uint64_t *print, const link_context *link)
{
    for (size_t o = 0; o < link->objects_count; o++) {
        const struct input_object *object = link->objects[o];
        for (uint32_t i = 0; i < symbols_of(object); i++) {
            add_symbol_definition(print, object->symbols[i]);
            add_number(print, object->copies[i]);
        }
    }
}

static void add_aliases(uint64_t *print, const link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++)
        add_pointer(print, link->functions[i]->alias_of);
}

static void add_adjacency(uint64_t *print, const struct adjacency *adjacency, uint32_t nodes)
{
    if (!adjacency->start)
        return;
    add_bytes(print, adjacency->start, (nodes + (size_t)1) * sizeof *adjacency->start);
    add_bytes(print, adjacency->targets, adjacency->start[nodes] * sizeof *adjacency->targets);
}

static void add_call_graph(uint64_t *print, const link_context *link)
{
    const struct callgraph *graph = &link->callgraph;
    add_number(print, graph->function_count);
    add_adjacency(print, &graph->callees, graph->node_count);
    add_adjacency(print, &graph->callers, graph->node_count);
    for (size_t i = 0; i < link->functions_count; i++)
        add_pointer(print, link->functions[i]->prototype);
}

static void add_kept(uint64_t *print, const link_context *link)
{
    const struct callgraph *graph = &link->callgraph;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        add_number(print, function->kept);
        add_number(print, function->reached);
        add_number(print, function->kernel);
        add_number(print, function->address_taken);
    }
    add_bytes(print, graph->order, graph->order_count * sizeof *graph->order);
}

/* Returns true if pass_merge assigns the section to an output section. It can leave compiler-made
 * constants to pass_layout_constant, and leaves tool notes to pass_metadata. */
static bool is_placed_by_merge(const struct elf_section *section)
{
    return section->kind != INPUT_CONSTANT_ENTRY && section->kind != INPUT_OTHER;
}

static void add_sections(uint64_t *print, const link_context *link)
{
    for (size_t o = 0; o < link->objects_count; o++) {
        const struct input_object *object = link->objects[o];
        for (uint32_t i = 0; i < object->elf.section_count; i++)
            if (is_placed_by_merge(&object->elf.sections[i]))
                add_pointer(print, object->contributions[i].section);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Addresses                                                                                     */

static bool is_unified(const link_context *link, const struct output_section *section)
{
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++)
        if (section == link->unified[kind].contents)
            return section;
    return false;
}

static bool is_shared(const struct symbol *symbol)
{
    uint8_t space = symbol->other & STO_CUDA_SPACE;
    return symbol->shared || space == STO_CUDA_SHARED || space == STO_CUDA_RESERVED_SHARED;
}

/* Returns true for symbols in constant memory, and for undefined symbols: layout_constant gives
 * some of these a value, the size of the user constants. */
static bool is_constant(const struct symbol *symbol)
{
    bool is_undefined = !symbol->defined && !symbol->common;
    return is_undefined || (symbol->other & STO_CUDA_SPACE) == STO_CUDA_CONSTANT ||
           (symbol->section && symbol->section->bank >= 0) ||
           section_type_constant_bank(symbol->section_type) >= 0;
}

/* Returns the row of frozen.def that covers the symbol's address, which depends on the symbol's
 * memory space. */
static enum frozen memory_of(const link_context *link, const struct symbol *symbol)
{
    if (is_shared(symbol))
        return FROZEN_SHARED;
    if (is_unified(link, symbol->section))
        return FROZEN_UNIFIED;
    return is_constant(symbol) ? FROZEN_CONSTANTS : FROZEN_GLOBAL;
}

static void add_address(uint64_t *print, const struct symbol *symbol)
{
    add_pointer(print, symbol->section);
    add_number(print, symbol->value);
    add_number(print, symbol->size);
}

static void add_addresses(uint64_t *print, const link_context *link, enum frozen memory)
{
    for (size_t o = 0; o < link->objects_count; o++) {
        const struct input_object *object = link->objects[o];
        for (uint32_t i = 0; i < symbols_of(object); i++)
            if (object->symbols[i] && memory_of(link, object->symbols[i]) == memory)
                add_address(print, object->symbols[i]);
    }
}

static void add_texture_slots(uint64_t *print, const link_context *link)
{
    add_number(print, link->first_texture_slot);
    for (size_t o = 0; o < link->objects_count; o++) {
        const struct input_object *object = link->objects[o];
        for (uint32_t i = 0; i < symbols_of(object); i++)
            if (object->symbols[i] && object->symbols[i]->is_texture)
                add_number(print, symbol_rare(object->symbols[i])->texture_slot);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* The output file                                                                               */

static void add_sizes_of(uint64_t *print, const link_context *link, unsigned contents)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        const struct output_section *section = link->output.sections[i];
        if (!(contents >> section->content & 1))
            continue;
        add_pointer(print, section);
        add_number(print, section->size);
        add_number(print, section->alignment);
    }
}

static void add_memory_sizes(uint64_t *print, const link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        const struct output_section *section = link->output.sections[i];
        if (!(section->flags & SHF_ALLOC))
            continue;
        add_number(print, section->size);
        if (section->view == VIEW_NATIVE) /* filelayout can still change Mercury alignments */
            add_number(print, section->alignment);
    }
}

static void add_relocations(uint64_t *print, const link_context *link)
{
    add_sizes_of(print, link, 1U << CONTENT_RELOCATIONS | 1U << CONTENT_RECORDS);
    if (link->relocate->actions)
        add_bytes(print, link->relocate->actions, link->relocation_count);
}

static void add_symbol_indices(uint64_t *print, struct symbol *const *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_number(print, symbols[i]->output_index);
        add_number(print, symbols[i]->dropped);
        add_number(print, symbols[i]->name->name.offset);
    }
}

static void add_indices(uint64_t *print, const link_context *link)
{
    const struct output *output = &link->output;
    for (uint32_t i = 1; i < output->ordered_count; i++) {
        add_pointer(print, output->ordered[i]);
        add_number(print, output->ordered[i]->index);
        add_number(print, output->ordered[i]->symbol_index);
        add_number(print, output->ordered[i]->size);
    }
    add_symbol_indices(print, output->local_symbols, output->local_symbols_count);
    add_symbol_indices(print, output->globals, output->globals_count);
    add_number(print, output->symbol_count);
    add_number(print, output->strtab_size);
    add_number(print, output->shstrtab_size);
}

static void add_offsets(uint64_t *print, const link_context *link)
{
    const struct output *output = &link->output;
    for (uint32_t i = 1; i < output->ordered_count; i++)
        add_number(print, output->ordered[i]->offset);
    add_bytes(print, output->segments, output->segment_count * sizeof *output->segments);
    add_number(print, output->section_headers);
    add_number(print, output->program_headers);
    add_number(print, output->size);
}

/* --------------------------------------------------------------------------------------------- */

static void add_global_addresses(uint64_t *print, const link_context *link)
{
    add_addresses(print, link, FROZEN_GLOBAL);
}

static void add_shared_addresses(uint64_t *print, const link_context *link)
{
    add_addresses(print, link, FROZEN_SHARED);
}

static void add_constant_addresses(uint64_t *print, const link_context *link)
{
    add_addresses(print, link, FROZEN_CONSTANTS);
}

static void add_unified_addresses(uint64_t *print, const link_context *link)
{
    add_addresses(print, link, FROZEN_UNIFIED);
}

static void add_description(uint64_t *print, const link_context *link)
{
    add_sizes_of(print, link, 1U << CONTENT_BYTES);
}

static void (*const ADDERS[])(uint64_t *print, const link_context *link) = {
#define FROZEN(name, text, adder) adder,
#include "link/frozen.def"
#undef FROZEN
};

static uint64_t fingerprint(const link_context *link, enum frozen thing)
{
    uint64_t print = 0;
    ADDERS[thing](&print, link);
    return print;
}

static const char *const NAMES[] = {
#define FROZEN(name, text, adder) text,
#include "link/frozen.def"
#undef FROZEN
};

/* Ends the process as an assertion does, and names the pass that ran and the thing that changed. */
static void report_change(const char *pass, enum frozen thing)
{
    fprintf(stderr, "%s changed what is frozen: %s\n", pass, NAMES[thing]);
    abort();
}

void fingerprints_update(struct fingerprints *prints, const link_context *link, const char *pass,
                         unsigned freezes)
{
    for (enum frozen thing = 0; thing < FROZEN_COUNT; thing++) {
        bool was_taken = prints->taken >> thing & 1;
        if (!was_taken && !(freezes >> thing & 1))
            continue;
        uint64_t print = fingerprint(link, thing);
        if (was_taken && print != prints->of[thing])
            report_change(pass, thing);
        prints->of[thing] = print;
    }
    prints->taken |= freezes;
}

#endif
