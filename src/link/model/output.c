/* Creates output sections and adds symbols to the output's lists; see output.h. */
#include "link/model/output.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/release.h"
#include "link/model/symbols.h"
#include "link/model/views.h"

#define SLOTS_PREFIX ".nv.constant.entry_image_header_indices."

static const struct shape_facts {
    uint64_t flags;
    uint64_t alignment;
    uint8_t entry_size;
    uint32_t type;
    uint8_t rank;
    uint8_t content;
    bool has_symbol;
    uint8_t counterpart;
} SHAPES[] = {
#define SECTION_SHAPE(kind, type, flags, alignment, entry_size, rank, content, symbol,             \
                      counterpart)                                                                 \
    {flags,       alignment,         entry_size, type,                                             \
     RANK_##rank, CONTENT_##content, symbol,     SHAPE_##counterpart},
#include "link/model/section_shape.def"
#undef SECTION_SHAPE
};

/* Returns a section's rank in the link's release. `rank` is the rank in the row of its shape. */
static uint8_t rank_in_release(const link_context *link, uint8_t rank)
{
    if (!link_follows(link, RELEASE_ORDERS_MERCURY_AS_NATIVE))
        return rank;
    if (rank == RANK_MERCURY_SYMBOLS)
        return RANK_MERCURY_EARLY_SYMBOLS;
    return rank == RANK_MERCURY_TEXT ? RANK_MERCURY_LATE_TEXT : rank;
}

static struct output_section *unlisted_section(link_context *link, struct linked_name *name,
                                               enum section_shape shape)
{
    const struct shape_facts *facts = &SHAPES[shape];
    struct arena_row *row = &link->output.section_rows[facts->rank];
    struct output_section *section = arena_take(&link->arena, row, 1, sizeof *section);
    section->name = name;
    section->bank = -1;
    section->type = facts->type;
    section->flags = facts->flags;
    section->alignment = facts->alignment;
    section->entry_size = facts->entry_size;
    section->rank = rank_in_release(link, facts->rank);
    section->content = facts->content;
    section->has_symbol = facts->has_symbol;
    return section;
}

static struct output_section *shaped_section(link_context *link, struct linked_name *name,
                                             enum section_shape shape)
{
    struct output_section *section = unlisted_section(link, name, shape);
    *ARENA_APPEND(&link->arena, &link->output, sections) = section;
    return section;
}

static void set_merged_name(link_context *link, struct output_section *section,
                            struct linked_name *name)
{
    output_add_other_view(link, section)->merged_name = name;
}

/* Creates the counterpart of `section`. The merged name of `section` must be set. */
static struct output_section *add_counterpart_of_name(link_context *link,
                                                      struct output_section *section,
                                                      enum section_shape counterpart_shape,
                                                      bool is_code)
{
    struct linked_name *name =
        views_counterpart_name(link, section->other_view->merged_name, is_code);
    struct output_section *counterpart = shaped_section(link, name, counterpart_shape);
    counterpart->view = VIEW_MERCURY;
    counterpart->other_view = ARENA_NEW(&link->arena, struct other_view);
    counterpart->other_view->merged_name = name;
    counterpart->other_view->counterpart = section;
    section->other_view->counterpart = counterpart;
    return counterpart;
}

void output_add_counterpart(link_context *link, struct output_section *section,
                            enum section_shape counterpart)
{
    set_merged_name(link, section, views_merged_name(link, section->name));
    bool is_code = counterpart == SHAPE_MERCURY_TEXT || counterpart == SHAPE_MERCURY_UFT;
    add_counterpart_of_name(link, section, counterpart, is_code);
}

static struct output_section *new_section(link_context *link, struct linked_name *name,
                                          enum section_shape shape)
{
    struct output_section *section = shaped_section(link, name, shape);
    section->creation = link->output.next_creation++;
    if (link_has_mercury(link) && SHAPES[shape].counterpart != SHAPE_NONE)
        output_add_counterpart(link, section, (enum section_shape)SHAPES[shape].counterpart);
    return section;
}

void output_set_bank(link_context *link, struct output_section *section, int bank)
{
    /* Two static kernels of one name can share a bank, which then already is in the list. */
    if (bank >= 0 && section->bank < 0)
        *ARENA_APPEND(&link->arena, &link->output, banks) = section;
    section->bank = (int8_t)bank;
}

struct other_view *output_add_other_view(link_context *link, struct output_section *section)
{
    if (!section->other_view) {
        section->other_view = ARENA_NEW(&link->arena, struct other_view);
        section->other_view->merged_name = section->name;
    }
    return section->other_view;
}

struct rare_section *output_add_rare(link_context *link, struct output_section *section)
{
    if (!section->rare)
        section->rare = ARENA_NEW(&link->arena, struct rare_section);
    return section->rare;
}

void output_adopt_header(link_context *link, struct output_section *section,
                         const struct elf_view *view, uint32_t input)
{
    struct elf_section_header header = elf_view_original_header(view, input);
    if (!header.link && !header.entry_size)
        return;
    output_add_rare(link, section)->link_number = header.link;
    section->rare->entry_size = header.entry_size;
    if (output_counterpart(section))
        output_add_rare(link, output_counterpart(section))->entry_size = header.entry_size;
}

static void add_local(link_context *link, struct output_section *section)
{
    *ARENA_APPEND(&link->arena, &link->output, locals) = section;
}

struct output_section *output_add_as(link_context *link, struct linked_name *name,
                                     enum section_shape shape)
{
    struct output_section *section = new_section(link, name, shape);
    add_local(link, section);
    return section;
}

uint32_t output_add_bare_name(link_context *link, struct linked_name *name)
{
    struct output *output = &link->output;
    *ARENA_APPEND(&link->arena, output, bare_names) = (struct bare_name){
        .name = name,
        .creation = output->next_creation++,
        .section_index = output->sections_count,
        .local_index = output->locals_count,
    };
    *ARENA_APPEND(&link->arena, output, sections) = output->bare_section;
    add_local(link, output->bare_section);
    return output->bare_names_count - 1;
}

struct output_section *output_fill_bare_name(link_context *link, uint32_t bare_name,
                                             enum section_shape shape)
{
    struct bare_name *bare = &link->output.bare_names[bare_name];
    struct output_section *section = unlisted_section(link, bare->name, shape);
    section->creation = bare->creation;
    link->output.sections[bare->section_index] = section;
    link->output.locals[bare->local_index] = section;
    bare->name = NULL;
    return section;
}

struct output_section *output_add(link_context *link, const char *name, enum section_shape shape)
{
    return output_add_as(link, link_intern(link, name), shape);
}

struct output_section *output_named(link_context *link, struct linked_name *name,
                                    enum section_shape shape)
{
    if (!name->section)
        name->section = output_add_as(link, name, shape);
    return name->section;
}

struct output_section *output_add_shared(link_context *link, const char *name,
                                         enum section_shape shape)
{
    return output_named(link, link_intern(link, name), shape);
}

struct output_section *output_find(const link_context *link, const char *name)
{
    const struct linked_name *linked_name = link_find_name(link, name);
    return linked_name ? linked_name->section : NULL;
}

struct output_section *output_add_named_after(link_context *link, struct linked_name *name,
                                              struct function *function, enum section_shape shape)
{
    if (link->options.relocatable)
        return output_add_of_function(link, name, function, shape);
    struct output_section *section = output_named(link, name, shape);
    if (!section->owner)
        section->owner = function;
    return section;
}

struct output_section *output_add_of_function(link_context *link, struct linked_name *name,
                                              struct function *function, enum section_shape shape)
{
    struct output_section *section = output_add_as(link, name, shape);
    section->owner = function;
    return section;
}

/* Creates a parameter bank on a target with Mercury code. On these targets only the native view has
 * parameter banks, and the banks' symbols follow all others. */
static struct output_section *add_late_parameters(link_context *link, struct function *function,
                                                  struct linked_name *name)
{
    struct output_section *section = shaped_section(link, name, SHAPE_PARAMETERS);
    section->creation = (uint32_t)link->output.late_count; /* decides the order in the rank */
    *ARENA_APPEND(&link->arena, &link->output, late) = section;
    section->owner = function;
    output_set_bank(link, section, CONSTANT_BANK_PARAMETERS);
    return section;
}

/* Adds a parameter bank to a relocatable output. The bank gets no list of relocations of texture
 * slots, because only the final link adds slots. */
static struct output_section *add_parameters_only(link_context *link, struct function *function)
{
    struct linked_name *name = link_section_name(link, PREFIX_PARAMETERS, function->symbol->name);
    if (link_has_mercury(link))
        return add_late_parameters(link, function, name);
    struct output_section *section =
        output_add_of_function(link, name, function, SHAPE_FUNCTION_CONSTANT);
    output_set_bank(link, section, CONSTANT_BANK_PARAMETERS);
    return section;
}

/* Gives a parameter bank a list of relocations of texture slots, on a target with Mercury code. The
 * Mercury view gets a section of a special kind for the slots, as the counterpart of the bank. So
 * the bank no longer is a section of the native view alone: it moves from RANK_PARAMETERS to the
 * constants of the file, and its symbol from the end to the local symbols. */
static void add_late_slots(link_context *link, struct output_section *bank)
{
    struct linked_name *kernel = bank->owner->symbol->name;
    bank->rank = RANK_CONSTANT;
    set_merged_name(link, bank, link_join_name(link, SLOTS_PREFIX, kernel));
    struct output_section *mercury_bank =
        add_counterpart_of_name(link, bank, SHAPE_MERCURY_SLOTS, false);
    struct output_section *list = shaped_section(
        link, link_section_name(link, PREFIX_RELA_PARAMETERS, kernel), SHAPE_SLOT_RELA);
    list->creation = link->output.next_creation++;
    set_merged_name(link, list, link_join_name(link, ".rela" SLOTS_PREFIX, kernel));
    struct output_section *mercury_list =
        add_counterpart_of_name(link, list, SHAPE_MERCURY_RELA, false);
    add_local(link, list);
    add_local(link, bank);
    list->names_symbols = true;
    list->info = bank;
    output_add_rare(link, bank)->slot_rel = list;
    output_add_rare(link, mercury_bank)->slot_rel = mercury_list;
}

static void add_slot_relocations(link_context *link, struct output_section *bank)
{
    enum section_shape shape = link->options.force_addends ? SHAPE_SLOT_RELA : SHAPE_SLOT_REL;
    assert(bank->bare_list);
    struct output_section *list = output_fill_bare_name(link, bank->bare_list - 1, shape);
    list->names_symbols = true;
    list->info = bank;
    output_add_rare(link, bank)->slot_rel = list;
}

struct output_section *output_slots(link_context *link, struct output_section *bank)
{
    if (!output_rare(bank)->slot_rel && link_has_mercury(link))
        add_late_slots(link, bank);
    else if (!output_rare(bank)->slot_rel)
        add_slot_relocations(link, bank);
    return bank->rare->slot_rel;
}

static bool is_slot_list(const struct output_section *section)
{
    return section->info && output_rare(section->info)->slot_rel == section;
}

/* Moves each bank with slots directly before the list of relocations of its slots. That is the
 * order that would result if the bank had been created with that list. */
void output_settle_slots(link_context *link)
{
    struct output *output = &link->output;
    size_t count = output->sections_count, kept = 0, late = 0;
    struct output_section **sections = ARENA_ARRAY(&link->arena, struct output_section *, count);
    for (size_t i = 0; i < count; i++) {
        struct output_section *section = output->sections[i];
        if (section->view == VIEW_NATIVE && output_rare(section)->slot_rel)
            continue;
        if (section->view == VIEW_NATIVE && is_slot_list(section))
            sections[kept++] = section->info;
        sections[kept++] = section;
    }
    memcpy(output->sections, sections, kept * sizeof *sections);
    assert(kept == count);
    for (size_t i = 0; i < output->late_count; i++)
        if (!output_rare(output->late[i])->slot_rel)
            output->late[late++] = output->late[i];
    output->late_count = late;
}

/* Creates a kernel's parameter bank and the name of its list of relocations. In .strtab the name of
 * the list precedes that of the bank. In .shstrtab and in the order of creation, the bank comes
 * first (observed in every native link). */
struct output_section *output_add_parameters(link_context *link, struct function *function)
{
    if (link->options.relocatable)
        return add_parameters_only(link, function);
    struct linked_name *kernel = function->symbol->name;
    struct linked_name *name = link_section_name(link, PREFIX_PARAMETERS, kernel);
    bool addends = link->options.force_addends;
    struct linked_name *rel_name =
        link_section_name(link, addends ? PREFIX_RELA_PARAMETERS : PREFIX_REL_PARAMETERS, kernel);
    /* With Mercury code, each of two static kernels of one name has its own bank, so no section is
     * searched by name. */
    if (link_has_mercury(link))
        return add_late_parameters(link, function, name);
    if (name->section)
        return name->section;
    struct output_section *section = new_section(link, name, SHAPE_FUNCTION_CONSTANT);
    /* Most kernels have no texture slots, so most of these lists remain bare names. */
    section->bare_list = output_add_bare_name(link, rel_name) + 1;
    add_local(link, section);
    section->owner = function;
    output_set_bank(link, section, CONSTANT_BANK_PARAMETERS);
    name->section = section;
    return section;
}

void output_add_local_symbol(link_context *link, struct symbol *symbol)
{
    add_local(link, link->output.symbol_slot);
    *ARENA_APPEND(&link->arena, &link->output, local_symbols) = symbol;
}

void output_remove_local_symbols(struct output *output,
                                 bool (*is_removed)(const struct symbol *symbol))
{
    uint32_t locals = 0, symbols = 0, next = 0;
    for (size_t i = 0; i < output->locals_count; i++) {
        bool is_symbol = output->locals[i] == output->symbol_slot;
        struct symbol *symbol = is_symbol ? output->local_symbols[next++] : NULL;
        if (symbol && is_removed(symbol))
            continue;
        output->locals[locals++] = output->locals[i];
        if (symbol)
            output->local_symbols[symbols++] = symbol;
    }
    output->locals_count = locals;
    output->local_symbols_count = symbols;
}

void output_place_symbol(link_context *link, struct symbol *symbol)
{
    if (symbol->created || symbol->dropped)
        return;
    symbol->created = true;
    if (symbol->function)
        symbol->function->creation = ++link->output.function_count;
    if (symbol->list == LIST_GLOBAL)
        *ARENA_APPEND(&link->arena, &link->output, globals) = symbol;
    else
        output_add_local_symbol(link, symbol);
}

struct chunk *output_add_chunk(link_context *link, struct output_section *section)
{
    if (!section->chunks_capacity) {
        struct arena_row *row = &link->output.chunk_rows[section->rank];
        section->chunks = arena_take(&link->arena, row, 1, sizeof *section->chunks);
        section->chunks_capacity = 1;
    }
    return ARENA_APPEND(&link->arena, section, chunks);
}

uint64_t output_append_bytes(link_context *link, struct output_section *section,
                             struct input_object *object, uint32_t input_section,
                             struct bytes bytes)
{
    const struct elf_section *input = &object->elf.sections[input_section];
    uint64_t alignment = elf_section_alignment(input);
    uint64_t offset = align_up(section->size, alignment);
    if (alignment > section->alignment)
        section->alignment = alignment;
    section->size = add_sizes(offset, bytes.size);
    if (link->options.relocatable)
        section->type = input->type;
    *output_add_chunk(link, section) =
        (struct chunk){object, input, offset, bytes.size, bytes.data};
    object->contributions[input_section] =
        (struct contribution){.section = section, .offset = offset};
    return offset;
}

static uint64_t append_chunk(link_context *link, struct output_section *section,
                             struct input_object *object, uint32_t input_section)
{
    const struct elf_section *input = &object->elf.sections[input_section];
    struct bytes whole = {input->data, input->size};
    return output_append_bytes(link, section, object, input_section, whole);
}

uint64_t output_append(link_context *link, struct output_section *section,
                       struct input_object *object, uint32_t input_section)
{
    uint32_t other = output_counterpart(section) && section->view == VIEW_NATIVE
                         ? object->other_view[input_section]
                         : 0;
    if (other)
        append_chunk(link, output_counterpart(section), object, other);
    return append_chunk(link, section, object, input_section);
}

void output_replace(link_context *link, struct output_section *section, struct bytes bytes)
{
    section->chunks_count = 0;
    *output_add_chunk(link, section) = (struct chunk){.size = bytes.size, .bytes = bytes.data};
    section->size = bytes.size;
}

void output_empty(struct output_section *section)
{
    for (int i = 0; section && i < VIEW_COUNT; i++, section = output_counterpart(section)) {
        section->chunks_count = 0;
        section->size = 0;
        if (output_counterpart(section) && section->rela)
            section->rela->chunks_count = 0;
    }
}
