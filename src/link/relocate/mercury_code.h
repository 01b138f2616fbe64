/* Mercury code: which bytes stand for which native instruction.
 *
 * The code is a list of items in a packed form; docs/mercury.md describes it. A relocation's offset
 * counts expanded bytes, so its place is found through the native instruction that the entry at the
 * same place of the native list is for. */
#ifndef WARPLD_LINK_RELOCATE_MERCURY_CODE_H
#define WARPLD_LINK_RELOCATE_MERCURY_CODE_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/relocate/relocations.h"

enum { NATIVE_INSTRUCTION_SIZE = 16 };

/* Where an instruction's item has its bytes; size 0: nowhere, it is implied or of a short form. */
struct mercury_item {
    uint32_t offset;
    uint32_t size;
};

struct mercury_code {
    struct mercury_item *items; /* by native instruction; NULL: the code cannot be read */
    uint64_t count;
    uint32_t *partners; /* by entry of the Mercury list: that of the native one */
};

/* relocations: Mercury entries for code, which have partners. */
struct mercury_code mercury_code_read(link_context *link, const struct input_object *object,
                                      const struct elf_section *relocations);

/* Writes a resolved value into the item of the instruction that entry `index` is for; code: the
 * section's bytes in the output. False when the item has no place for it. */
bool mercury_code_patch(const struct mercury_code *code, const struct input_object *object,
                        const struct elf_section *relocations, uint32_t index,
                        const struct relocation_decision *decision, uint8_t *bytes);

#endif
