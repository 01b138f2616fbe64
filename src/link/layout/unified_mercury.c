/* Writes the slots of the unified function table if the output has code in both views.
 *
 * Part of pass_unified. nvlink 13.0.88 regenerates the native form of all slots from their Mercury
 * form. In the native form, each slot has the two instructions of a stub, and then six instructions
 * that do nothing. Eight more instructions end the table. Mercury code is a list of items, which
 * represent instructions. nvlink removes the item that ends each stub, and inserts items for the
 * added instructions. This was observed with the two forms of stubs that ptxas 13.0.88 writes for
 * sm_100, sm_103, sm_110, sm_120 and sm_121 at -O0 to -O3. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/unified_index.h"
#include "link/merge/merge.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"

enum {
    SLOT_INSTRUCTIONS = UNIFIED_SLOT_SIZE / NATIVE_INSTRUCTION_SIZE,
    OWN_INSTRUCTIONS = 2, /* instructions of a stub: the jump, and one that must not be reached */
    CONTROL_AT = 13,      /* offset of the scheduling bits in an instruction */
    CONTROL_SIZE = 3,
    /* Sizes in expanded code: the jump of a stub, each other instruction, and a slot. */
    EXPANDED_JUMP = 32,
    EXPANDED_OTHER = 16,
    EXPANDED_SLOT = 0xa0,
    /* Mercury code consists of a header, which contains the number of items, a mask of the items
     * that have no bytes, the items, and the end. */
    ITEMS_AT = 8,
    MASK_AT = 12,
    STUB_ITEMS = 7,
    END_SIZE = 2,
    WORD_BITS = 32,
};

/* The scheduling bits of a stub's own instructions (`own`), and of the instructions that do nothing
 * (`nothing`). With -g, each instruction waits for all earlier instructions. */
static const struct scheduling {
    uint8_t own[CONTROL_SIZE], nothing[CONTROL_SIZE];
} SCHEDULING = {{0xea, 0x0f, 0x00}, {0xe2, 0x0f, 0x00}},
  SCHEDULING_FOR_DEBUGGER = {{0xde, 0x3f, 0x00}, {0xde, 0x3f, 0x00}};
static const uint8_t NOTHING[NATIVE_INSTRUCTION_SIZE] = {0x18, 0x79};
static const uint8_t END_BRANCH[NATIVE_INSTRUCTION_SIZE] = {
    0x47, 0x79, 0xfc, 0x00, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0x83, 0x03, 0x00, 0xc0, 0x0f, 0x00};
static const uint8_t END_NOTHING[NATIVE_INSTRUCTION_SIZE] = {0x18, 0x79, [13] = 0xc0, 0x0f};

/* --------------------------------------------------------------------------------------------- */
/* Native form                                                                                   */

static void write_native_slot(uint8_t *out, const uint8_t *stub,
                              const struct scheduling *scheduling)
{
    for (size_t i = 0; i < SLOT_INSTRUCTIONS; i++, out += NATIVE_INSTRUCTION_SIZE) {
        bool is_own = i < OWN_INSTRUCTIONS;
        memcpy(out, is_own ? stub + i * NATIVE_INSTRUCTION_SIZE : NOTHING, NATIVE_INSTRUCTION_SIZE);
        memcpy(out + CONTROL_AT, is_own ? scheduling->own : scheduling->nothing, CONTROL_SIZE);
    }
}

static void write_native_end(uint8_t *out)
{
    memcpy(out, END_BRANCH, NATIVE_INSTRUCTION_SIZE);
    for (size_t i = 1; i < SLOT_INSTRUCTIONS; i++)
        memcpy(out + i * NATIVE_INSTRUCTION_SIZE, END_NOTHING, NATIVE_INSTRUCTION_SIZE);
}

static void write_native(link_context *link, struct output_section *code,
                         struct unified_entry *const *slots, size_t count)
{
    uint64_t size = (count + 1) * (uint64_t)UNIFIED_SLOT_SIZE;
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, size);
    const struct scheduling *scheduling =
        link->options.debug ? &SCHEDULING_FOR_DEBUGGER : &SCHEDULING;
    for (size_t i = 0; i < count; i++)
        write_native_slot(bytes + i * UNIFIED_SLOT_SIZE,
                          slots[i]->object->elf.sections[slots[i]->input_section].data, scheduling);
    write_native_end(bytes + count * UNIFIED_SLOT_SIZE);
    output_replace(link, code, (struct bytes){bytes, size});
}

/* --------------------------------------------------------------------------------------------- */
/* Mercury form                                                                                  */

/* The first two items of a stub in Mercury form, which are copied to the table. */
struct stub_items {
    uint32_t mask; /* the mask of the stub, which includes the bits of these items */
    struct bytes bytes;
};

/* Reads the first two items of a stub, which differ between stubs. Checks that the other five items
 * are as in all known stubs: four items without bytes, whose instructions do nothing, and an end
 * item, which stands for two instructions. Returns false if they are not. */
static bool read_stub_items(const struct elf_section *code, struct stub_items *items)
{
    enum { NOTHING_MASK = 0x3c, OWN_MASK = 3, HEAD_SIZE = MASK_AT + 4 };
    if (code->size < HEAD_SIZE + END_SIZE || load_u32(code->data + ITEMS_AT) != STUB_ITEMS)
        return false;
    items->mask = load_u32(code->data + MASK_AT);
    items->bytes = (struct bytes){code->data + HEAD_SIZE, code->size - HEAD_SIZE - END_SIZE};
    const uint8_t *end = items->bytes.data + items->bytes.size;
    return (items->mask & ~(uint32_t)OWN_MASK) == NOTHING_MASK && end[0] == 0x50 && end[1] == 1;
}

static const struct elf_section *mercury_code_of(const struct unified_entry *entry)
{
    return &entry->object->elf.sections[entry->object->other_view[entry->input_section]];
}

/* Writes the Mercury form of the table: the header, the mask, the first two items of each stub, and
 * the end item. Returns false, after reporting an error, if read_stub_items refuses a stub. */
static bool write_mercury(link_context *link, struct output_section *code,
                          struct unified_entry *const *slots, size_t count)
{
    enum { NOTHING_MASK = 0xfc, END_COUNT = 4 };
    uint64_t item_count = count * (uint64_t)SLOT_INSTRUCTIONS + 1;
    uint64_t size = MASK_AT + (item_count + WORD_BITS - 1) / WORD_BITS * 4, at = size;
    struct stub_items *items = ARENA_ARRAY(&link->arena, struct stub_items, count);
    for (size_t i = 0; i < count; i++) {
        if (!read_stub_items(mercury_code_of(slots[i]), &items[i])) {
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, slots[i]->object->name,
                              NULL, slots[i]->object->name, mercury_code_of(slots[i])->name);
            return false;
        }
        size += items[i].bytes.size;
    }
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, size + END_SIZE);
    memcpy(bytes, mercury_code_of(slots[0])->data, ITEMS_AT);
    store_u32(bytes + ITEMS_AT, (uint32_t)item_count);
    for (size_t i = 0; i < count; i++) {
        bytes[MASK_AT + i] = (uint8_t)(NOTHING_MASK | items[i].mask);
        memcpy(bytes + at, items[i].bytes.data, items[i].bytes.size);
        at += items[i].bytes.size;
    }
    bytes[size] = 0x50;
    bytes[size + 1] = END_COUNT;
    output_replace(link, code, (struct bytes){bytes, size + END_SIZE});
    return true;
}

/* --------------------------------------------------------------------------------------------- */

/* Returns the value of a stub's symbol in the native view. `offset` is the offset of the slot in
 * native code, but nvlink treats it as an offset in expanded code when it computes the value. So
 * the symbol does not point to its slot (observed with up to 14 slots). warpld writes the same
 * values, because the driver expects them. */
static uint64_t native_value(uint64_t offset)
{
    uint64_t slot = offset / EXPANDED_SLOT, rest = offset % EXPANDED_SLOT;
    uint64_t instruction = rest < EXPANDED_JUMP ? 0 : 1;
    const uint64_t jumps = UINT64_C(2) * EXPANDED_JUMP;
    if (rest >= jumps)
        instruction = OWN_INSTRUCTIONS + (rest - jumps) / EXPANDED_OTHER;
    return (slot * SLOT_INSTRUCTIONS + instruction) * NATIVE_INSTRUCTION_SIZE;
}

/* Sets the values and sizes of the symbols of stubs. The first symbol has the size of all code.
 * Each other symbol ends where the next one begins. */
static void set_symbols(const struct output_section *code, struct unified_entry *const *slots,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct symbol *stub = slots[i]->object->symbols[slots[i]->contents];
        stub->value = native_value(slots[i]->offset);
        uint64_t end = i + 1 < count ? native_value(slots[i + 1]->offset) : code->size;
        stub->size = i ? end - stub->value : code->size;
    }
}

/* Sorts the entries by slot, and writes both forms of the code. Then sets the symbols of the stubs
 * and the address ranges for debug information, and merges the debug information again, because it
 * contains these addresses. */
bool unified_write_slots(link_context *link, struct unified_table *table)
{
    size_t count = table->entries_count;
    if (!count)
        return true;
    struct unified_entry **slots = ARENA_ARRAY(&link->arena, struct unified_entry *, count);
    for (size_t i = 0; i < count; i++) {
        struct unified_entry *entry = &table->entries[i];
        uint64_t slot = entry->offset / UNIFIED_SLOT_SIZE;
        uint32_t mercury = entry->object->other_view[entry->input_section];
        entry->object->contributions[mercury].offset = slot * EXPANDED_SLOT;
        slots[slot] = entry;
    }
    if (!write_mercury(link, output_counterpart(table->contents), slots, count))
        return false;
    write_native(link, table->contents, slots, count);
    set_symbols(table->contents, slots, count);
    table->slot_range = (uint64_t)OWN_INSTRUCTIONS * EXPANDED_JUMP;
    table->first_slot_range = count > 1 ? native_value(UNIFIED_SLOT_SIZE) : table->contents->size;
    debug_merge_slots(link);
    return true;
}
