/* The order of the entries that patch jump tables; see jump_table_order.h. The tables are in blocks
 * of compiler-made constants, which are copied to the banks of kernels.
 *
 * The last table comes first, and the entries of a table are in the reverse of the input's order.
 * Objects of ptxas list the last word of a table first, objects of nvlink -r the first word.
 * Observed in both views of two-object links with up to four tables, and with entries in any
 * order. */
#include "link/write/jump_table_order.h"

#include <stdlib.h>

#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Finds where the jump tables in the object's blocks of compiler-made constants start. A table
 * starts at each symbol of a block. The result has one bit for each word of a block, which is set
 * if a table starts there. */
static void find_tables(link_context *link, struct input_object *object)
{
    object->tables = ARENA_ARRAY(&link->arena, uint64_t *, object->elf.section_count);
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_MERCURY].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_MERCURY, i);
        if (symbol.type == STT_SECTION || symbol.section >= object->elf.section_count)
            continue;
        const struct elf_section *block = &object->elf.sections[symbol.section];
        if (block->type != SHT_MERCURY_CONSTANT_OPTIMIZER || symbol.value >= block->size)
            continue;
        uint64_t **starts = &object->tables[symbol.section];
        if (!*starts)
            *starts = ARENA_ARRAY(&link->arena, uint64_t, block->size / 256 + 1);
        (*starts)[symbol.value / 256] |= UINT64_C(1) << symbol.value / 4 % 64;
    }
}

static int relocations_by_offset(const void *a, const void *b)
{
    const struct jump_table_entry *first = a, *second = b;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

static int last_table_first(const void *a, const void *b)
{
    const struct jump_table_entry *first = a, *second = b;
    if (first->table != second->table)
        return first->table > second->table ? -1 : 1;
    return first->index > second->index ? -1 : first->index < second->index;
}

/* Sets the number of the table that each entry belongs to. If `starts` is NULL, all entries belong
 * to one table. */
static void number_tables(struct jump_table_entry *entries, uint32_t count, const uint64_t *starts)
{
    uint64_t table = 0, word = 0;
    for (uint32_t i = 0; starts && i < count; i++) {
        for (; word <= entries[i].offset / 4; word++)
            table += starts[word / 64] >> word % 64 & 1;
        entries[i].table = table;
    }
}

/* Returns the bits that find_tables sets. Returns NULL for the block of a discarded copy, which has
 * no symbols that show where its tables start. */
static const uint64_t *table_starts(link_context *link, struct input_object *object, uint32_t block)
{
    uint32_t function = 0, native = object->other_view ? object->other_view[block] : block;
    if (input_section_function(object, &object->elf.sections[native], &function) &&
        object->copies[function] == COPY_DISCARDED)
        return NULL;
    if (!object->tables)
        find_tables(link, object);
    return object->tables[block];
}

const struct jump_table_entry *jump_table_order(link_context *link, struct input_object *object,
                                                const struct elf_section *relocations)
{
    uint32_t count = relocations->entry_count;
    struct jump_table_entry *entries =
        ARENA_ARRAY(&link->arena, struct jump_table_entry, count + 1);
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (struct jump_table_entry){
            .offset = elf_section_relocation(relocations, i).offset, .index = i};
    qsort(entries, count, sizeof *entries, relocations_by_offset);
    number_tables(entries, count, table_starts(link, object, relocations->info));
    qsort(entries, count, sizeof *entries, last_table_first);
    return entries;
}
