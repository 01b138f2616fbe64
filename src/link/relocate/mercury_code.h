/* Mercury code: finds the bytes that represent a native instruction.
 *
 * The code is a list of items in a packed form; docs/mercury.md describes it. The offset of a
 * Mercury relocation counts expanded bytes. Its field is found through the native instruction at
 * the offset of its partner, the corresponding entry of the native list. */
#ifndef WARPLD_LINK_RELOCATE_MERCURY_CODE_H
#define WARPLD_LINK_RELOCATE_MERCURY_CODE_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/relocate/relocations.h"

enum { NATIVE_INSTRUCTION_SIZE = 16 };

/* The bytes of the item that represents an instruction. Size 0: the instruction has no item with a
 * field, because it is implied or its item is of a short form. */
struct mercury_item {
    uint32_t offset;
    uint32_t size;
};

struct mercury_code {
    struct mercury_item *items; /* by native instruction; NULL: the code cannot be read */
    uint64_t count;
    uint32_t *partners; /* by entry of the Mercury list: its native partner, or NO_PARTNER */
};

/* Reads the code that a list of Mercury relocations relocates. */
struct mercury_code mercury_code_read(link_context *link, const struct input_object *object,
                                      const struct elf_section *relocations);

/* Writes a resolved value into the item of the instruction that entry `index` is for, or nothing if
 * the item has no field. bytes: the section's bytes in the output. Returns false if the instruction
 * is unknown: the code cannot be read, or the entry has no partner. */
bool mercury_code_patch(const struct mercury_code *code, const struct input_object *object,
                        const struct elf_section *relocations, uint32_t index,
                        const struct relocation_decision *decision, uint8_t *bytes);

#endif
