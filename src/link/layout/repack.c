/* Packs user constants again when their bank overflows, or when some of them are removed.
 *
 * Requires: MERGED (the bank of user constants), CONSTANTS_MARKED (which constants to remove).
 * Makes: CONSTANTS_PACKED; mutates .nv.constant3.
 * Frozen after: nothing more.
 *
 * If .nv.constant3 is larger than a bank can be, its variables are packed one by one, without the
 * bytes between them and without unused copies. If the variables still do not fit, the pass only
 * changes the bank's size, to the size of nvlink's packed bank. pass_limits reports this size. With
 * --remove-unused-constants, variables that nothing refers to are removed first. If the bank is not
 * too large, the kept variables keep their order.
 *
 * In a packed bank, nvlink 13.0.88 ignores the alignment that the input gives a variable. It aligns
 * variables of less than 8 bytes to their size, and all others to 8 bytes. It begins with the
 * variables whose symbols are in the list of globals (symbol_list), sorted by descending alignment
 * and, for equal alignment, by ascending size. All other variables follow, by ascending size. Ties
 * are resolved as in merge_sort.h. Every address was the same in 129 links of up to 4 objects and
 * 48 variables.
 *
 * nvlink can therefore assign misaligned addresses to vectors of 16 bytes, and to arrays that code
 * reads as such vectors (docs/quirks/constants.md). warpld assigns the next aligned address.
 * Variables are never merged, because the host writes them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/merge_sort.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/layout/constant_blocks.h"
#include "link/layout/layout_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

enum { LARGEST_NATURAL = 8 }; /* the largest alignment that nvlink uses */

/* A definition of a variable in an input section of the bank. Unused copies of a variable have this
 * structure, too, because the input sections contain their bytes. */
struct variable {
    struct symbol *symbol; /* NULL for a removed variable, and for an unused copy */
    struct input_object *object;
    uint32_t section;
    uint64_t input_offset;
    uint64_t size;
    uint64_t offset; /* in the new bank */
};

struct repacking {
    link_context *link;
    struct output_section *bank;
    bool overflows; /* true: variables are packed; false: the kept variables keep their order */
    GROWING_ARRAY(struct variable *, variables);   /* in the order of the output's symbols */
    GROWING_ARRAY(struct variable *, definitions); /* by offset in the inputs */
    GROWING_ARRAY(struct symbol *, unused);        /* symbols of removed variables */
    struct moved_variable *moved;                  /* new offsets, by index in `definitions` */
};

/* --------------------------------------------------------------------------------------------- */
/* The variables                                                                                 */

static struct variable *new_packed_variable(link_context *link, struct input_object *object,
                                            uint32_t index)
{
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    struct variable *variable = ARENA_NEW(&link->arena, struct variable);
    *variable = (struct variable){.object = object,
                                  .section = input.section,
                                  .input_offset = input.value,
                                  .size = input.size};
    return variable;
}

static void add_defined(struct repacking *state, struct symbol *symbol)
{
    link_context *link = state->link;
    if (!symbol || symbol->section != state->bank || symbol->dropped || symbol->name_only)
        return;
    struct variable *variable = new_packed_variable(link, symbol->object, symbol->input_index);
    *ARENA_APPEND(&link->arena, state, definitions) = variable;
    if (constant_is_unused(link, symbol)) {
        *ARENA_APPEND(&link->arena, state, unused) = symbol;
        return;
    }
    variable->symbol = symbol;
    *ARENA_APPEND(&link->arena, state, variables) = variable;
}

static bool is_in_bank(const struct repacking *state, const struct input_object *object,
                       uint32_t section)
{
    return section < object->elf.section_count &&
           object->contributions[section].section == state->bank;
}

static void add_unused_copies(struct repacking *state, struct input_object *object)
{
    link_context *link = state->link;
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        const struct symbol *symbol = object->symbols[i];
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (symbol && (symbol->object != object || symbol->input_index != i) &&
            is_in_bank(state, object, input.section))
            *ARENA_APPEND(&link->arena, state, definitions) = new_packed_variable(link, object, i);
    }
}

static int variables_by_input_offset(const void *a, const void *b)
{
    const struct variable *first = *(struct variable *const *)a;
    const struct variable *second = *(struct variable *const *)b;
    if (first->object != second->object)
        return first->object->position < second->object->position ? -1 : 1;
    if (first->section != second->section)
        return first->section < second->section ? -1 : 1;
    if (first->input_offset != second->input_offset)
        return first->input_offset < second->input_offset ? -1 : 1;
    return first->size == second->size ? 0 : first->size < second->size ? -1 : 1;
}

static void collect_variables(struct repacking *state)
{
    const struct output *output = &state->link->output;
    for (size_t i = 0; i < output->local_symbols_count; i++)
        add_defined(state, output->local_symbols[i]);
    for (size_t i = 0; i < output->globals_count; i++)
        add_defined(state, output->globals[i]);
    for (size_t i = 0; i < state->link->objects_count; i++)
        add_unused_copies(state, state->link->objects[i]);
    if (state->definitions_count)
        qsort(state->definitions, state->definitions_count, sizeof(struct variable *),
              variables_by_input_offset);
}

/* --------------------------------------------------------------------------------------------- */
/* Addresses                                                                                     */

static uint64_t natural_alignment(const struct variable *variable)
{
    return variable->size < LARGEST_NATURAL ? variable->size : LARGEST_NATURAL;
}

/* Returns the alignment by which nvlink sorts. For variables that are not in the list of globals,
 * nvlink uses 0, so that they come last. */
static uint64_t known_alignment(const struct variable *variable)
{
    return variable->symbol->list == LIST_GLOBAL ? natural_alignment(variable) : 0;
}

static int by_known_alignment_then_small(const void *a, const void *b)
{
    const struct variable *first = a, *second = b;
    uint64_t alignment = known_alignment(first), other = known_alignment(second);
    if (alignment != other)
        return alignment > other ? -1 : 1;
    return first->size == second->size ? 0 : first->size < second->size ? -1 : 1;
}

static uint64_t largest_access(const struct variable *variable)
{
    return constant_largest_access(&variable->object->elf.sections[variable->section],
                                   variable->input_offset, variable->size);
}

/* Returns the address of the first variable. --reserve-null-pointer is meant for shared memory, but
 * in nvlink the option also reserves address 0 of a packed bank. */
static uint64_t first_address(const struct repacking *state)
{
    return state->overflows && state->link->options.reserve_null_pointer ? 1 : 0;
}

/* Returns the size that the bank has in nvlink's layout, where variables can be misaligned. */
static uint64_t natural_end(const struct repacking *state)
{
    uint64_t end = first_address(state);
    for (size_t i = 0; i < state->variables_count; i++) {
        const struct variable *variable = state->variables[i];
        end = add_sizes(align_up(end, natural_alignment(variable)), variable->size);
    }
    return end;
}

/* Returns the address for a variable that follows `end`: the address that nvlink computes or, if
 * the variable would be misaligned there, the next aligned address. Raises `alignment`, the bank's
 * alignment, if necessary. */
static uint64_t place_packed(const struct variable *variable, uint64_t end, uint64_t *alignment)
{
    uint64_t access = largest_access(variable), known = known_alignment(variable);
    uint64_t natural = align_up(end, natural_alignment(variable));
    uint64_t offset = align_up(natural, access);
    if (offset != natural && access > *alignment)
        *alignment = access;
    if (known > *alignment)
        *alignment = known;
    return offset;
}

static uint64_t place_in_order(const struct variable *variable, uint64_t end, uint64_t *alignment)
{
    uint64_t access = largest_access(variable);
    if (access > *alignment)
        *alignment = access;
    return align_up(end, access);
}

/* Assigns offsets in the new bank, and returns the size of the bank. Stores the offsets only in
 * `state`, so that the caller can still give the new bank up. */
static uint64_t pack_variables(struct repacking *state, uint64_t *alignment)
{
    uint64_t end = first_address(state);
    *alignment = 1;
    for (size_t i = 0; i < state->variables_count; i++) {
        struct variable *variable = state->variables[i];
        variable->offset = state->overflows ? place_packed(variable, end, alignment)
                                            : place_in_order(variable, end, alignment);
        end = add_sizes(variable->offset, variable->size);
    }
    return end;
}

/* --------------------------------------------------------------------------------------------- */
/* Checks                                                                                        */

static bool is_zero(const struct elf_section *section, uint64_t from, uint64_t to)
{
    while (from < to && (!section->data || !section->data[from]))
        from++;
    return from >= to;
}

/* Records the new offsets of the variables of one input section. Returns false when two variables
 * share bytes, or when bytes that belong to no variable are not 0. */
static bool split_section(struct repacking *state, size_t first, size_t count)
{
    link_context *link = state->link;
    struct input_object *object = state->definitions[first]->object;
    const struct elf_section *section = &object->elf.sections[state->definitions[first]->section];
    uint64_t end = 0;
    for (size_t i = first; i < first + count; i++) {
        const struct variable *variable = state->definitions[i];
        if (variable->input_offset < end ||
            add_sizes(variable->input_offset, variable->size) > section->size ||
            !is_zero(section, end, variable->input_offset))
            return false;
        end = variable->input_offset + variable->size;
        state->moved[i] = (struct moved_variable){variable->input_offset, variable->size,
                                                  variable->offset, !variable->symbol};
    }
    contribution_move(&link->arena, object, section->index, &state->moved[first], count);
    if (output_counterpart(state->bank))
        contribution_move(&link->arena, object, object->other_view[section->index],
                          &state->moved[first], count);
    return is_zero(section, end, section->size);
}

static bool split_sections(struct repacking *state)
{
    link_context *link = state->link;
    size_t count = state->definitions_count;
    state->moved = ARENA_ARRAY(&link->arena, struct moved_variable, count);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (state->definitions[end]->object != state->definitions[first]->object ||
                state->definitions[end]->section != state->definitions[first]->section)
                break;
        if (!split_section(state, first, end - first))
            return false;
    }
    return true;
}

/* Returns false if an input section without variables has bytes other than 0, because the new bank
 * would lack these bytes. */
static bool covers_chunks(const struct output_section *bank)
{
    for (size_t i = 0; i < bank->chunks_count; i++) {
        const struct chunk *chunk = &bank->chunks[i];
        const struct elf_section *section = chunk->input;
        if (!contribution_is_moved(chunk->object, chunk->input->index) &&
            !is_zero(section, 0, section->size))
            return false;
    }
    return true;
}

/* Returns false if a relocation cannot follow the variables to their new offsets. There are two
 * such cases: the relocation patches bytes of the bank that are in no variable, or its symbol is
 * the section symbol of the bank, whose section is split. Compilers write no such relocations. */
static bool can_follow(const struct repacking *state, const struct input_object *object,
                       const struct elf_section *relocations, const struct elf_relocation *entry)
{
    link_context *link = state->link;
    if (is_in_bank(state, object, relocations->info) &&
        !contribution_piece(object, relocations->info, entry->offset)) {
        TRACE(&link->trace, TRACE_CONSTANT_NAMELESS, relocations->info,
              (unsigned long long)entry->offset);
        return false;
    }
    if (object->symbols[entry->symbol])
        return true;
    struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, entry->symbol);
    return symbol.type != STT_SECTION || !is_in_bank(state, object, symbol.section);
}

static bool all_can_follow(const struct repacking *state)
{
    for (size_t o = 0; o < state->link->objects_count; o++) {
        const struct input_object *object = state->link->objects[o];
        for (uint32_t i = 1; i < object->elf.section_count; i++) {
            const struct elf_section *section = &object->elf.sections[i];
            if (input_section_kind(section) != INPUT_RELOCATIONS)
                continue;
            for (uint32_t e = 0; e < section->entry_count; e++) {
                struct elf_relocation entry = elf_section_relocation(section, e);
                if (!can_follow(state, object, section, &entry))
                    return false;
            }
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* The new bank                                                                                  */

/* Writes the new bank, in both views, and moves the symbols. */
static void move_variables_of_bank(const struct repacking *state, uint64_t size, uint64_t alignment)
{
    link_context *link = state->link;
    struct output_section *bank = state->bank;
    uint8_t *content = ARENA_ARRAY(&link->arena, uint8_t, size);
    for (size_t i = 0; i < state->variables_count; i++) {
        const struct variable *variable = state->variables[i];
        const uint8_t *bytes = variable->object->elf.sections[variable->section].data;
        if (bytes && variable->size)
            memcpy(content + variable->offset, bytes + variable->input_offset, variable->size);
        variable->symbol->value = variable->offset;
        TRACE(&link->trace,
              variable->symbol->binding == STB_LOCAL ? TRACE_CONSTANT_LOCAL : TRACE_CONSTANT_GLOBAL,
              symbol_name(variable->symbol), (unsigned long long)variable->offset);
    }
    for (int view = 0; bank && view < VIEW_COUNT; view++, bank = output_counterpart(bank)) {
        output_replace(link, bank, (struct bytes){content, size});
        bank->alignment = alignment;
    }
}

static void sort_packed_variables(struct repacking *state)
{
    link_context *link = state->link;
    if (state->overflows)
        merge_sort(&link->arena, (void **)state->variables, state->variables_count,
                   by_known_alignment_then_small, TIES_FROM_A);
    else if (state->variables_count)
        qsort(state->variables, state->variables_count, sizeof(struct variable *),
              variables_by_input_offset);
}

/* Undoes split_section: each input section of the bank is contiguous again. */
static void keep_together(struct repacking *state)
{
    for (size_t i = 0; i < state->definitions_count; i++) {
        struct input_object *object = state->definitions[i]->object;
        uint32_t section = state->definitions[i]->section;
        contribution_keep_contiguous(object, section);
        if (output_counterpart(state->bank))
            contribution_keep_contiguous(object, object->other_view[section]);
    }
}

static void pack(struct repacking *state)
{
    uint64_t alignment = 1, size = pack_variables(state, &alignment);
    bool fits = size <= CONSTANT_BANK_LIMIT && split_sections(state) &&
                covers_chunks(state->bank) && all_can_follow(state);
    if (!fits) {
        keep_together(state);
        return;
    }
    move_variables_of_bank(state, size, alignment);
    for (size_t i = 0; i < state->unused_count; i++)
        constant_remove(state->link, state->unused[i]);
}

void pass_repack(link_context *link)
{
    struct repacking state = {.link = link, .bank = output_find(link, ".nv.constant3")};
    state.overflows = state.bank && state.bank->size > CONSTANT_BANK_LIMIT;
    if (!state.bank || (!state.overflows && !link->layout->has_unused_constants))
        return;
    collect_variables(&state);
    if (!state.overflows && !state.unused_count)
        return;
    TRACE(&link->trace, TRACE_CONSTANT_SPACE, section_name(link, state.bank),
          (unsigned long long)state.bank->size);
    sort_packed_variables(&state);
    uint64_t end = natural_end(&state);
    if (state.overflows && end > CONSTANT_BANK_LIMIT)
        state.bank->size = end;
    else
        pack(&state);
}
