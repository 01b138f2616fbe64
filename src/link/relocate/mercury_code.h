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

/* The bytes of an instruction's item; size 0: it has none, as it is implied or of a short form. */
struct mercury_item {
    uint32_t offset;
    uint32_t size;
};

struct mercury_code {
    struct mercury_item *items; /* by native instruction; NULL: the code cannot be read */
    uint64_t count;
    uint32_t *partners; /* by entry of the Mercury list: index of its native partner */
};

/* Reads the code that a list of Mercury relocations is for; its entries must have partners. */
struct mercury_code mercury_code_read(link_context *link, const struct input_object *object,
                                      const struct elf_section *relocations);

/* Writes a resolved value into the item of the instruction that entry `index` is for; bytes: the
 * section's bytes in the output. Returns false when the item has no field for it. */
bool mercury_code_patch(const struct mercury_code *code, const struct input_object *object,
                        const struct elf_section *relocations, uint32_t index,
                        const struct relocation_decision *decision, uint8_t *bytes);

#endif
