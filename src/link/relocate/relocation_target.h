/* The target of a relocation: its kind, and its address or offset in the output. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATION_TARGET_H
#define WARPLD_LINK_RELOCATE_RELOCATION_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

enum target_kind {
    TARGET_NONE, /* symbol 0, or a symbol without a type, which is treated like symbol 0 */
    TARGET_FUNCTION,
    TARGET_GLOBAL,
    TARGET_TEXTURE,
    TARGET_SHARED,
    TARGET_PLACED,      /* constants and sections: their addresses are known */
    TARGET_RESERVED,    /* symbols of the driver's reserved shared memory */
    TARGET_PLACEHOLDER, /* symbols of unified tables that are not in the output */
};

struct relocation_target {
    enum target_kind kind;
    const struct symbol *symbol;
    const struct output_section *section; /* if the target is a section symbol: the section */
    uint64_t value;
    uint64_t slot; /* the value that is written for SLOT types */
    uint32_t section_type;
    bool removed;     /* the target is not in the output */
    bool dynamic;     /* extern shared memory: the address depends on the kernels that reach the
                         function */
    bool for_mercury; /* the relocation is in the Mercury view */
};

/* The target to which an entry of the list refers. */
struct relocation_target relocation_target_find(const link_context *link,
                                                const struct input_object *object,
                                                const struct elf_section *relocations,
                                                const struct elf_relocation *entry);

/* The target of a relocation that refers to the symbol of a native section. */
struct relocation_target relocation_target_of_section(const struct input_object *object,
                                                      uint32_t index);

/* Like relocation_target_of_section, but for a section of either view. */
struct relocation_target relocation_target_of_part(const struct input_object *object,
                                                   enum code_view view, uint32_t section);

#endif
