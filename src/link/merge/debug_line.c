/* Merges the line tables of the native view; see debug_line.h.
 *
 * Part of pass_merge. A table consists of units. A unit is a header and a line program, which has
 * one sequence for each function. A sequence begins with an extended opcode that sets the address.
 * The relocation of this address identifies the function. nvlink sorts the sequences of a unit in
 * the order of the function symbols in the output (observed with nvlink 13.0.88 in all 136 programs
 * with line tables, for sm_100 to sm_121). */
#include "link/merge/debug_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"
#include "link/model/views.h"
#include "link/relocate/relocations.h"

enum {
    LENGTH_SIZE = 4,     /* size of a unit's length field, which the length does not count */
    HEADER_LENGTH = 6,   /* offset of header_length, the size of the rest of the header */
    HEADER_BEGIN = 10,   /* offset of the rest of the header */
    OPCODE_SIZE = 3,     /* size of the extended opcode before an address */
    UNIT_SMALLEST = 10,  /* size of a unit without the rest of its header */
    LARGEST_GROWTH = 10, /* most bytes that take_sequence adds: a 64-bit number as LEB128 */
    STRING_OFFSET_SIZE = 4,
};

/* A sequence of the input. It begins at the opcode that sets its address. */
struct sequence {
    uint64_t offset;
    uint64_t size;
    const struct symbol *symbol; /* symbol of the function whose lines the sequence lists */
    uint32_t index;              /* index of that symbol in the object's symbol table */
};

bool debug_line_is_table(const char *name)
{
    return !strcmp(name, ".debug_line") || !strcmp(name, ".nv_debug_line_sass");
}

/* --------------------------------------------------------------------------------------------- */
/* Joining                                                                                       */

struct line_merge {
    link_context *link;
    struct input_object *object;
    const struct elf_section *input;
    struct sequence *sequences; /* the sequences of all units, sorted by offset */
    size_t count;
    size_t next; /* index of the first sequence of the next unit */
    uint8_t *bytes;
    uint64_t size;
    uint64_t base;
    struct moved_variable *pieces;
    size_t piece_count;
};

static int lines_by_offset(const void *a, const void *b)
{
    const struct sequence *first = a, *second = b;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

/* Compares sequences by the order of their functions' symbols in the output: symbols in the list of
 * local symbols (up to release 13.3 it has the WEAK ones, too) before those in the list of global
 * symbols, then in the order in which the functions were created. */
static int by_symbol(const void *a, const void *b)
{
    const struct symbol *first = ((const struct sequence *)a)->symbol;
    const struct symbol *second = ((const struct sequence *)b)->symbol;
    if (first->list != second->list)
        return first->list == LIST_LOCAL ? -1 : 1;
    if (first->function->creation != second->function->creation)
        return first->function->creation < second->function->creation ? -1 : 1;
    return lines_by_offset(a, b);
}

static bool find_sequences(struct line_merge *merge)
{
    link_context *link = merge->link;
    uint32_t mercury = views_relocations_of(merge->object, merge->input->index);
    uint32_t native = mercury ? merge->object->other_view[mercury] : 0;
    const struct elf_section *list = &merge->object->elf.sections[native];
    merge->sequences = ARENA_ARRAY(&link->arena, struct sequence, list->entry_count + 1);
    for (uint32_t i = 0; native && i < list->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(list, i);
        struct symbol *symbol = merge->object->symbols[entry.symbol];
        if (!symbol || !symbol->function || entry.offset < OPCODE_SIZE)
            return false;
        merge->sequences[merge->count++] = (struct sequence){
            .offset = entry.offset - OPCODE_SIZE, .symbol = symbol, .index = entry.symbol};
    }
    if (merge->count)
        qsort(merge->sequences, merge->count, sizeof *merge->sequences, lines_by_offset);
    return true;
}

static void take_lines(struct line_merge *merge, uint64_t offset, uint64_t size)
{
    memcpy(merge->bytes + merge->size, merge->input->data + offset, size);
    merge->pieces[merge->piece_count++] = (struct moved_variable){
        .input_offset = offset, .size = size, .offset = merge->base + merge->size};
    merge->size += size;
}

/* ptxas ends the sequence of a stub with these three opcodes: a row that changes no line, an
 * advance of the address to the end of the stub's 128 bytes, and the end of the sequence. */
static const uint8_t STUB_ROW[] = {0x03, 0x00, 0x01}, STUB_ADVANCE[] = {0x02, 0x80, 0x01},
                     END_SEQUENCE[] = {0x00, 0x01, 0x01};

static bool ends_as_stub(const uint8_t *sequence, uint64_t size)
{
    if (size < sizeof STUB_ROW + sizeof STUB_ADVANCE + sizeof END_SEQUENCE)
        return false;
    const uint8_t *end = sequence + size - sizeof END_SEQUENCE;
    return memcmp(end, END_SEQUENCE, sizeof END_SEQUENCE) == 0 &&
           memcmp(end - sizeof STUB_ADVANCE, STUB_ADVANCE, sizeof STUB_ADVANCE) == 0 &&
           memcmp(end - sizeof STUB_ADVANCE - sizeof STUB_ROW, STUB_ROW, sizeof STUB_ROW) == 0;
}

static void append_line_byte(struct line_merge *merge, uint8_t byte)
{
    merge->bytes[merge->size++] = byte;
}

/* Copies a sequence. Only the sequences of stubs are changed, as nvlink does (observed with
 * ptxas -O0 to -O3, -lineinfo and -g). The sequence of the first slot of the unified function
 * table is extended over the whole table. The sequence of any other slot loses its last row and
 * its advance. */
static void take_sequence(struct line_merge *merge, const struct sequence *sequence)
{
    struct unified_slot slot;
    uint64_t size = sequence->size;
    if (!unified_slot_of(merge->link, merge->object, sequence->index, &slot) ||
        !ends_as_stub(merge->input->data + sequence->offset, size)) {
        take_lines(merge, sequence->offset, size);
        return;
    }
    size -= sizeof STUB_ADVANCE + sizeof END_SEQUENCE;
    take_lines(merge, sequence->offset, slot.is_first ? size : size - sizeof STUB_ROW);
    uint64_t advance = slot.is_first ? slot.table_size : 0;
    if (advance)
        append_line_byte(merge, STUB_ADVANCE[0]);
    for (; advance; advance >>= 7)
        append_line_byte(merge, (uint8_t)((advance & 0x7f) | (advance > 0x7f ? 0x80 : 0)));
    memcpy(merge->bytes + merge->size, END_SEQUENCE, sizeof END_SEQUENCE);
    merge->size += sizeof END_SEQUENCE;
}

/* Partitions the sequences of one unit: moves the kept ones to the front, and sorts these with
 * by_symbol. `first` is the index of the unit's first sequence, and `end` is the offset of the
 * unit's end. Returns the index after the last kept sequence. */
static size_t keep_sequences(struct line_merge *merge, size_t first, uint64_t end)
{
    size_t kept = first;
    for (merge->next = first; merge->next < merge->count; merge->next++) {
        struct sequence *sequence = &merge->sequences[merge->next];
        if (sequence->offset >= end)
            break;
        bool is_last = merge->next + 1 == merge->count;
        uint64_t next = is_last ? end : merge->sequences[merge->next + 1].offset;
        sequence->size = (next < end ? next : end) - sequence->offset;
        if (input_function_is_used(merge->object, sequence->index))
            merge->sequences[kept++] = *sequence;
    }
    if (kept > first)
        qsort(&merge->sequences[first], kept - first, sizeof *merge->sequences, by_symbol);
    return kept;
}

/* Copies one unit: its header, then the kept sequences. Corrects the length field of the copy.
 * Returns false if the unit is damaged. */
static bool read_line_unit(struct line_merge *merge, uint64_t start)
{
    const uint8_t *unit = merge->input->data + start;
    uint64_t left = merge->input->size - start;
    if (left < UNIT_SMALLEST)
        return false;
    uint64_t size = LENGTH_SIZE + (uint64_t)load_u32(unit);
    uint64_t header = HEADER_BEGIN + (uint64_t)load_u32(unit + HEADER_LENGTH);
    if (size > left || header > size || size < UNIT_SMALLEST)
        return false;
    size_t first = merge->next;
    uint64_t unit_start = merge->size;
    if (first < merge->count && merge->sequences[first].offset < start + header)
        return false;
    bool has_sequences = first < merge->count && merge->sequences[first].offset < start + size;
    take_lines(merge, start, has_sequences ? merge->sequences[first].offset - start : size);
    size_t kept = keep_sequences(merge, first, start + size);
    for (size_t i = first; i < kept; i++)
        take_sequence(merge, &merge->sequences[i]);
    store_u32(merge->bytes + unit_start, (uint32_t)(merge->size - unit_start - LENGTH_SIZE));
    return true;
}

static bool read_units(struct line_merge *merge)
{
    for (uint64_t start = 0; start < merge->input->size;) {
        if (!read_line_unit(merge, start))
            return false;
        start += LENGTH_SIZE + (uint64_t)load_u32(merge->input->data + start);
    }
    return merge->next == merge->count;
}

void debug_line_merge(link_context *link, struct input_object *object, uint32_t section,
                      struct output_section *output)
{
    const struct elf_section *input = &object->elf.sections[section];
    struct line_merge merge = {
        .link = link, .object = object, .input = input, .base = output->size};
    bool sound = find_sequences(&merge);
    merge.bytes =
        ARENA_ARRAY(&link->arena, uint8_t, input->size + merge.count * LARGEST_GROWTH + 1);
    merge.pieces = ARENA_ARRAY(&link->arena, struct moved_variable,
                               merge.count + input->size / UNIT_SMALLEST + 1);
    if (!sound || !read_units(&merge)) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, object->name, NULL,
                          object->name, input->name);
        return;
    }
    output_append_bytes(link, output, object, section, (struct bytes){merge.bytes, merge.size});
    contribution_move(&link->arena, object, section, merge.pieces, merge.piece_count);
}

/* --------------------------------------------------------------------------------------------- */
/* References to names of inlined functions                                                      */

static int by_entry_offset(const void *a, const void *b)
{
    const struct elf_relocation *first = a, *second = b;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

/* Returns the relocations of `list` that refer to section symbols, sorted by offset. Adds their
 * number to *count. */
static struct elf_relocation *section_references(link_context *link,
                                                 const struct input_object *object,
                                                 const struct elf_section *list, size_t *count)
{
    struct elf_relocation *references =
        ARENA_ARRAY(&link->arena, struct elf_relocation, list->entry_count + 1);
    for (uint32_t i = 0; i < list->entry_count; i++) {
        references[*count] = elf_section_relocation(list, i);
        *count += !object->symbols[references[*count].symbol];
    }
    if (*count)
        qsort(references, *count, sizeof *references, by_entry_offset);
    return references;
}

static uint64_t end_of_unit(const struct elf_section *table, uint64_t start)
{
    uint64_t left = table->size - start;
    uint64_t size =
        left < LENGTH_SIZE ? left : LENGTH_SIZE + (uint64_t)load_u32(table->data + start);
    return start + (size < left ? size : left);
}

/* Finds the output offset of a word of the native table. Returns false if the word is outside the
 * table, or if its bytes are not contiguous in the output. Nothing else is checked, because
 * compilers refer to names only from unit headers, which are the same in both views. */
static bool native_offset(const struct input_object *object, const struct elf_section *native,
                          uint64_t offset, uint64_t *output_offset)
{
    return offset + STRING_OFFSET_SIZE <= native->size &&
           contribution_range(object, native->index, offset, STRING_OFFSET_SIZE, output_offset) ==
               RANGE_KEPT;
}

/* Resolves each relocation of a Mercury table, and writes the value into the native table: into the
 * word at the same offset of the same unit. */
static void write_references(link_context *link, const struct chunk *chunk, uint8_t *output)
{
    struct input_object *object = chunk->object;
    const struct elf_section *list = chunk->input;
    const struct elf_section *mercury = &object->elf.sections[list->info];
    const struct elf_section *native = &object->elf.sections[object->other_view[mercury->index]];
    size_t count = 0;
    const struct elf_relocation *references = section_references(link, object, list, &count);
    uint64_t unit = 0, native_unit = 0, offset = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint64_t end = 0; (end = end_of_unit(mercury, unit)) <= references[i].offset;) {
            native_unit = end_of_unit(native, native_unit);
            unit = end;
        }
        struct relocation_decision decision = relocation_decide(link, object, list, &references[i]);
        bool is_kept = decision.action == ACTION_KEEP;
        if ((is_kept || decision.action == ACTION_WRITE) && decision.type &&
            native_offset(object, native, native_unit + (references[i].offset - unit), &offset))
            relocation_write(
                decision.type, output + offset, STRING_OFFSET_SIZE,
                (is_kept ? decision.shift : decision.value) + (uint64_t)references[i].addend, 0);
    }
}

void debug_line_write_references(link_context *link, const struct output_section *section,
                                 uint8_t *bytes)
{
    const struct output_section *counterpart = output_counterpart(section);
    for (size_t i = 0; counterpart && counterpart->rela && i < counterpart->rela->chunks_count; i++)
        write_references(link, &counterpart->rela->chunks[i], bytes);
}
