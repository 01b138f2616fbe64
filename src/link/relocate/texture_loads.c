/* Completes loads of texture slots by index; see texture_loads.h.
 *
 * Unoptimised code of ptxas 13.0.88 loads a slot with `MOV R, index; LDC R, c[0][R + first]`. The
 * index has a relocation; `first` has none. In the input, `first` is the end of the kernel's own
 * parameters, which is correct only if no other kernel has more parameters. nvlink generates the
 * native code from the Mercury items, in which the item of the load names the memory of slots
 * instead of bank 0. For that item nvlink writes the offset of the first slot as `first`. */
#include "link/relocate/texture_loads.h"

#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/views.h"
#include "link/relocate/mercury_code.h"

enum {
    OPCODE_MASK = 0xfff,
    OPCODE_LOAD_CONSTANT = 0xb82,
    REGISTER_OFFSET = 3, /* offset of the index register in a load */
    NO_REGISTER = 0xff,
};

/* The layout of Mercury items that load from constant memory (found in 3,600 items, with eight
 * kinds of operands). */
enum { ITEM_SIZE = 32, ITEM_OF_LOAD = 0x2202, MEMORY_OFFSET = 12, MEMORY_OF_SLOTS = 0x49 };

enum { R_CUDA_ABS16_32 = 59, R_CUDA_CONST_FIELD21_38 = 66 };

bool texture_type_is_index(uint32_t type)
{
    return type == R_CUDA_ABS16_32; /* the type of a plain move, which cannot name a bank */
}

static bool refers_to_slots(const struct input_object *object,
                            const struct elf_section *relocations)
{
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        const struct symbol *symbol =
            object->symbols[elf_section_relocation(relocations, i).symbol];
        if (symbol && symbol->is_texture)
            return true;
    }
    return false;
}

static bool is_indexed_load(const uint8_t *instruction, const uint8_t *item)
{
    return load_u16(item) == ITEM_OF_LOAD && item[MEMORY_OFFSET] == MEMORY_OF_SLOTS &&
           (load_u16(instruction) & OPCODE_MASK) == OPCODE_LOAD_CONSTANT &&
           instruction[REGISTER_OFFSET] != NO_REGISTER;
}

/* Writes the offset of the first slot into each indexed load of a chunk. A load is indexed if its
 * Mercury item names the memory of slots. */
static void apply_to_chunk(link_context *link, const struct chunk *chunk, uint8_t *bytes)
{
    struct input_object *object = chunk->object;
    uint32_t list = views_relocations_of(object, chunk->input->index);
    if (!list || !refers_to_slots(object, &object->elf.sections[list]))
        return;
    const struct elf_section *mercury =
        &object->elf.sections[object->other_view[chunk->input->index]];
    const struct mercury_code code = mercury_code_read(link, object, &object->elf.sections[list]);
    const struct relocation_type *field = relocation_type_find_native(R_CUDA_CONST_FIELD21_38);
    uint64_t count = chunk->size / NATIVE_INSTRUCTION_SIZE;
    for (uint64_t i = 0; code.items && i < code.count && i < count; i++) {
        uint8_t *instruction = bytes + i * NATIVE_INSTRUCTION_SIZE;
        if (code.items[i].size == ITEM_SIZE &&
            is_indexed_load(instruction, mercury->data + code.items[i].offset))
            relocation_write(field, instruction, NATIVE_INSTRUCTION_SIZE, link->first_texture_slot,
                             0);
    }
}

void texture_loads_apply(link_context *link, const struct output_section *section, uint8_t *bytes)
{
    if (!bytes || section->view != VIEW_NATIVE || !output_counterpart(section) ||
        output_counterpart(section)->type != SHT_MERCURY_CODE || !link->first_texture_slot)
        return;
    for (size_t i = 0; i < section->chunks_count; i++) {
        const struct chunk *chunk = &section->chunks[i];
        if (chunk->object && chunk->object->has_textures)
            apply_to_chunk(link, chunk, bytes + chunk->offset);
    }
}
