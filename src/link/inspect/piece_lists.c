/* Symbols and shared variables by section; see piece_lists.h. */
#include "link/inspect/piece_lists.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/prefetch.h"
#include "link/layout/layout_state.h"
#include "link/merge/merge_state.h"
#include "link/model/kernel_set.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/write/write_output.h"

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

/* Returns false for the symbols of functions that have code, which are most symbols. They need no
 * list, because the section of the code leads to them. */
static bool is_listed(const struct symbol *symbol)
{
    return symbol->output_index && !function_is_own_code(symbol->function);
}

/* Prefetches symbols that the caller will read soon. Neighbours in the list are not neighbours in
 * memory, so each read would otherwise be a cache miss. */
static PREFETCHES void prefetch_symbols(struct symbol *const *symbols, size_t rest)
{
    enum { LINE = 64 };
    const size_t ahead = 8;
    if (rest <= 2 * ahead)
        return;
    __builtin_prefetch(symbols[2 * ahead]);
    __builtin_prefetch((const char *)symbols[2 * ahead] + LINE);
    __builtin_prefetch(symbols[ahead]->function);
}

/* Counts the symbols of each section in first_symbol[n + 2], where n is the index of the section.
 * list_symbols_of_sections uses the counts. */
static void count_in_sections(const link_context *link, struct piece_walk *walk,
                              struct symbol *const *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        prefetch_symbols(symbols + i, count - i);
        const struct output_section *section =
            is_listed(symbols[i]) ? written_symbol(link, symbols[i]).section : NULL;
        if (section)
            walk->first_symbol[section->index + 2]++;
    }
}

/* Stores each symbol at the next free position for its section. first_symbol[n + 1] is the next
 * free position for section n, and is incremented for each symbol. */
static void place_in_sections(const link_context *link, struct piece_walk *walk,
                              struct symbol *const *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        prefetch_symbols(symbols + i, count - i);
        if (!is_listed(symbols[i]))
            continue;
        struct written_symbol written = written_symbol(link, symbols[i]);
        if (written.section)
            walk->symbols[walk->first_symbol[written.section->index + 1]++] =
                (struct placed_symbol){symbols[i], written.value, written.size};
    }
}

static int symbol_by_value(const void *a, const void *b)
{
    const struct placed_symbol *first = a, *second = b;
    if (first->value != second->value)
        return first->value < second->value ? -1 : 1;
    uint32_t left = first->symbol->output_index, right = second->symbol->output_index;
    return left < right ? -1 : left > right;
}

static void sort_symbols(struct placed_symbol *symbols, uint32_t count)
{
    bool is_sorted = true;
    for (uint32_t i = 1; i < count && is_sorted; i++)
        is_sorted = symbol_by_value(&symbols[i - 1], &symbols[i]) <= 0;
    if (!is_sorted)
        qsort(symbols, count, sizeof *symbols, symbol_by_value);
}

/* Sorts the symbols by section and value with a counting sort:
 *
 *     count    first_symbol[n + 2] = number of symbols in section n
 *     sum      first_symbol[n + 1] = position of the first symbol of section n
 *     store    puts each symbol at first_symbol[n + 1], and increments that element
 *
 * After the last step, first_symbol[n + 1] is the end of section n and the start of the next
 * section. So first_symbol[n] is now the start of section n. Finally the symbols of each section
 * are sorted. */
static void list_symbols_of_sections(link_context *link, struct piece_walk *walk)
{
    const struct output *output = &link->output;
    uint32_t sections = output->ordered_count;
    walk->first_symbol = ARENA_ARRAY(&link->arena, uint32_t, (size_t)sections + 2);
    count_in_sections(link, walk, output->local_symbols, output->local_symbols_count);
    count_in_sections(link, walk, output->globals, output->globals_count);
    for (uint32_t i = 0; i <= sections; i++)
        walk->first_symbol[i + 1] += walk->first_symbol[i];
    walk->symbols = ARENA_ARRAY(&link->arena, struct placed_symbol,
                                (size_t)walk->first_symbol[sections + 1] + 1);
    place_in_sections(link, walk, output->local_symbols, output->local_symbols_count);
    place_in_sections(link, walk, output->globals, output->globals_count);
    for (uint32_t i = 0; i < sections; i++)
        sort_symbols(walk->symbols + walk->first_symbol[i],
                     walk->first_symbol[i + 1] - walk->first_symbol[i]);
}

/* --------------------------------------------------------------------------------------------- */
/* Shared variables                                                                              */

static void add_placed(link_context *link, struct piece_walk *walk, const struct function *kernel,
                       const struct shared_variable *variable)
{
    const struct output_section *section = kernel->kept ? kernel->shared : NULL;
    if (!section || !section->index || variable->is_extern)
        return;
    *ARENA_APPEND(&link->arena, walk, shared) = (struct placed_shared){
        section->index, link_shared_reserved(link) + variable->offset, variable};
}

/* Lists the shared variables: those that one kernel owns, then those that several kernels reach.
 * The latter are listed once for each of these kernels. */
static void list_placed(link_context *link, struct piece_walk *walk)
{
    const struct kernel_sets *users = &link->layout->shared_users;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct shared_memory *memory = function_shared_memory(link->functions[i]);
        for (size_t v = 0; v < memory->variables_count; v++)
            add_placed(link, walk, link->functions[i], memory->variables[v]);
    }
    for (size_t i = 0; i < link->merge->shared_variables_count; i++) {
        const struct shared_variable *variable = link->merge->shared_variables[i];
        if (variable->used && !variable->kernel)
            EACH_KERNEL(id, kernel_union_set(&variable->kernels))
        add_placed(link, walk, users->kernels[id], variable);
    }
}

static int placed_by_address(const void *a, const void *b)
{
    const struct placed_shared *first = a, *second = b;
    if (first->section != second->section)
        return first->section < second->section ? -1 : 1;
    if (first->address != second->address)
        return first->address < second->address ? -1 : 1;
    return first->variable->symbol->input_index < second->variable->symbol->input_index ? -1 : 1;
}

/* Returns true if the variables are sorted already, which is the case if the kernels are in the
 * order of their sections. */
static bool is_sorted(const struct piece_walk *walk)
{
    for (size_t i = 1; i < walk->shared_count; i++)
        if (placed_by_address(&walk->shared[i - 1], &walk->shared[i]) > 0)
            return false;
    return true;
}

void piece_lists_make(link_context *link, struct piece_walk *walk)
{
    if (walk->has_lists)
        return;
    walk->has_lists = true;
    list_symbols_of_sections(link, walk);
    list_placed(link, walk);
    if (!is_sorted(walk))
        qsort(walk->shared, walk->shared_count, sizeof *walk->shared, placed_by_address);
}
