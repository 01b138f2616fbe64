/* Mercury code: finds the bytes that represent a native instruction.
 *
 * The code is a list of packed items, which docs/mercury.md describes. The offset of a Mercury
 * relocation is an offset in expanded code, so it does not say where the relocation field is in the
 * section. But the relocation has a partner, the corresponding entry of the native list. The field
 * is in the item that represents the instruction at the partner's offset. */
#ifndef WARPLD_LINK_RELOCATE_MERCURY_CODE_H
#define WARPLD_LINK_RELOCATE_MERCURY_CODE_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/relocate/relocations.h"

/* The bytes of the item that represents an instruction. The size is 0 if the item has no relocation
 * field. Such an item has a short form, or it is implied: it has no bytes at all, and its bit in
 * the mask at the start of the code is set. */
struct mercury_item {
    uint32_t offset;
    uint32_t size;
};

struct mercury_code {
    struct mercury_item *items; /* by native instruction; NULL if the code cannot be read */
    uint64_t count;
    uint32_t *partners; /* by Mercury entry: the index of its native partner, or NO_PARTNER */
};

/* Reads the code that a list of Mercury relocations patches. */
struct mercury_code mercury_code_read(link_context *link, const struct input_object *object,
                                      const struct elf_section *relocations);

/* Writes the resolved value of entry `index` into the item of the entry's instruction, if the item
 * has a relocation field. `bytes` are the bytes of the section in the output. Returns false if the
 * instruction is unknown: the code cannot be read, or the entry has no partner. */
bool mercury_code_patch(const struct mercury_code *code, const struct input_object *object,
                        const struct elf_section *relocations, uint32_t index,
                        const struct relocation_decision *decision, uint8_t *bytes);

#endif
