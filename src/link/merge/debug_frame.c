/* Merges the call frame information of the native view; see debug_frame.h.
 *
 * Part of pass_merge. ptxas writes a CIE (common information entry) before the FDE (frame
 * description entry) of each function. An FDE contains the offset of its CIE. In an input, the
 * native FDEs contain wrong offsets: those of the CIEs in the Mercury section. nvlink corrects
 * these offsets, and leaves out the CIE and FDE of a function that is not in the output (observed
 * with nvlink 13.0.88 in 475 of 476 programs for sm_100 to sm_121). */
#include "link/merge/debug_frame.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"
#include "link/model/views.h"

enum {
    LONG_MARK_SIZE = 4,   /* size of the word 0xffffffff, which a 64-bit length follows */
    POINTER_OFFSET = 12,  /* offset of the pointer to the CIE in an FDE, or of the id in a CIE */
    START_OFFSET = 20,    /* offset of the function's address in an FDE */
    RANGE_OFFSET = 28,    /* offset of the function's size in an FDE */
    RULES_OFFSET = 36,    /* offset of the call frame instructions in an FDE */
    UNIT_OFFSET = 22,     /* offset of the code alignment factor in a CIE of version 3 */
    RECORD_SMALLEST = 20, /* size of the smallest CIE or FDE */
    WITHOUT_RULES = 40,   /* size of an FDE that has only padding (DW_CFA_nop) as instructions */
};

struct frame_merge {
    link_context *link;
    struct input_object *object;
    const struct elf_section *input;
    const uint32_t *symbols; /* symbol index of each word's relocation; 0: no relocation */
    uint8_t *bytes;          /* copies of the kept CIEs and FDEs */
    uint64_t size;
    uint64_t base; /* offset of `bytes` in the output section */
    struct moved_variable *pieces;
    size_t piece_count;
    /* The last CIE that read_records read: */
    uint64_t common;        /* offset in the input section */
    uint64_t common_size;   /* size in bytes */
    uint64_t common_offset; /* offset in the output section; valid if common_taken is true */
    bool common_taken;      /* true if the CIE was copied to the output */
};

static const struct elf_section *native_list(const struct input_object *object,
                                             const struct elf_section *input)
{
    uint32_t mercury = views_relocations_of(object, input->index);
    return &object->elf.sections[mercury ? object->other_view[mercury] : 0];
}

static uint32_t *symbols_by_word(link_context *link, const struct input_object *object,
                                 const struct elf_section *input, const struct elf_section *list)
{
    uint32_t *symbols = ARENA_ARRAY(&link->arena, uint32_t, input->size / 4 + 1);
    for (uint32_t i = 0; i < list->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(list, i);
        if (object->symbols[entry.symbol])
            symbols[entry.offset / 4] = entry.symbol;
    }
    return symbols;
}

static uint64_t take_frames(struct frame_merge *merge, uint64_t offset, uint64_t size)
{
    uint64_t position = merge->base + merge->size;
    memcpy(merge->bytes + merge->size, merge->input->data + offset, size);
    merge->pieces[merge->piece_count++] =
        (struct moved_variable){.input_offset = offset, .size = size, .offset = position};
    merge->size += size;
    return position;
}

static void leave_out(struct frame_merge *merge, uint64_t offset, uint64_t size)
{
    merge->pieces[merge->piece_count++] =
        (struct moved_variable){.input_offset = offset, .size = size, .removed = true};
}

static uint32_t described_symbol(const struct frame_merge *merge, uint64_t description)
{
    return merge->symbols[(description + START_OFFSET) / 4];
}

static bool is_in_output(const struct frame_merge *merge, uint64_t description)
{
    uint32_t index = described_symbol(merge, description);
    const struct symbol *symbol = index ? merge->object->symbols[index] : NULL;
    return !symbol || !symbol->function || input_function_is_used(merge->object, index);
}

/* Copies the native FDE of a stub, that is, of a slot of the unified function table, and changes it
 * as nvlink does (observed with ptxas -O0 to -O3 and -g):
 *
 *   - For the first slot, the range of the FDE ends at the symbol of the second slot.
 *   - For any other slot, the FDE gets the range of the expanded stub, and padding as its only call
 *     frame instructions. If its CIE directly precedes the FDE, the CIE gets the code alignment
 *     factor of expanded code, which is 1.
 *
 * unified_mercury.c computes both ranges. */
static void take_slot(struct frame_merge *merge, uint64_t offset, uint64_t size,
                      const struct unified_slot *slot)
{
    bool is_cut = !slot->is_first && size >= WITHOUT_RULES;
    uint64_t kept = is_cut ? WITHOUT_RULES : size;
    uint8_t *record = merge->bytes + merge->size;
    take_frames(merge, offset, kept);
    if (kept >= RULES_OFFSET)
        store_u64(record + RANGE_OFFSET, slot->range);
    if (!is_cut)
        return;
    store_u64(record + LONG_MARK_SIZE, WITHOUT_RULES - POINTER_OFFSET);
    memset(record + RULES_OFFSET, 0, WITHOUT_RULES - RULES_OFFSET);
    if (merge->common_size > UNIT_OFFSET && merge->common_offset + merge->common_size ==
                                                merge->base + (uint64_t)(record - merge->bytes))
        record[UNIT_OFFSET - (ptrdiff_t)merge->common_size] = 1;
}

/* Copies an FDE if its function is in the output. Copies its CIE before it, unless an earlier FDE
 * has already caused the copy. */
static void read_description(struct frame_merge *merge, uint64_t offset, uint64_t size)
{
    if (!is_in_output(merge, offset)) {
        leave_out(merge, offset, size);
        return;
    }
    if (!merge->common_taken)
        merge->common_offset = take_frames(merge, merge->common, merge->common_size);
    merge->common_taken = true;
    struct unified_slot slot;
    uint64_t start = merge->size;
    if (unified_slot_of(merge->link, merge->object, described_symbol(merge, offset), &slot))
        take_slot(merge, offset, size, &slot);
    else
        take_frames(merge, offset, size);
    store_u64(merge->bytes + start + POINTER_OFFSET, merge->common_offset);
}

/* Reads all CIEs and FDEs of the section and copies the kept ones. Their lengths have 64 bits
 * (observed). Returns false if a record is damaged. */
static bool read_records(struct frame_merge *merge)
{
    const struct elf_section *input = merge->input;
    for (uint64_t offset = 0; offset < input->size;) {
        uint64_t left = input->size - offset;
        if (left < RECORD_SMALLEST || load_u32(input->data + offset) != UINT32_MAX)
            return false;
        uint64_t length = load_u64(input->data + offset + LONG_MARK_SIZE);
        if (length > left - POINTER_OFFSET || length < RECORD_SMALLEST - POINTER_OFFSET)
            return false;
        uint64_t size = POINTER_OFFSET + length;
        if (load_u64(input->data + offset + POINTER_OFFSET) == UINT64_MAX) {
            merge->common = offset;
            merge->common_size = size;
            merge->common_taken = false;
        } else if (!merge->common_size || size < START_OFFSET + 8) {
            return false;
        } else {
            read_description(merge, offset, size);
        }
        offset += size;
    }
    return true;
}

/* Copies the kept records to a new buffer, appends the buffer to the output section, and records
 * for each byte of the input section its offset in the output section. */
void debug_frame_merge(link_context *link, struct input_object *object, uint32_t section,
                       struct output_section *output)
{
    const struct elf_section *input = &object->elf.sections[section];
    struct frame_merge merge = {
        .link = link,
        .object = object,
        .input = input,
        .symbols = symbols_by_word(link, object, input, native_list(object, input)),
        .bytes = ARENA_ARRAY(&link->arena, uint8_t, input->size + 1),
        .base = output->size,
        .pieces =
            ARENA_ARRAY(&link->arena, struct moved_variable, input->size / RECORD_SMALLEST + 1),
    };
    if (!read_records(&merge)) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, object->name, NULL,
                          object->name, input->name);
        return;
    }
    output_append_bytes(link, output, object, section, (struct bytes){merge.bytes, merge.size});
    contribution_move(&link->arena, object, section, merge.pieces, merge.piece_count);
}
