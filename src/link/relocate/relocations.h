/* Decides what becomes of one relocation, for scan and apply alike. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATIONS_H
#define WARPLD_LINK_RELOCATE_RELOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

enum relocation_action {
    ACTION_DROP,  /* the output has no entry, nothing is written */
    ACTION_KEEP,  /* the output has the entry, for the driver */
    ACTION_WRITE, /* the field is written, the output has no entry */
    ACTION_CLEAR, /* the field is zeroed, the output has no entry */
    ACTION_FAIL,  /* `error` says why */
};

/* Stored for each entry: the action in the lower bits, and flags. */
enum {
    ENTRY_ACTION = 0x3f,
    ENTRY_IS_PLAIN = 0x40,     /* kept, with the same type, symbol and addend */
    ENTRY_SHIFTS_BYTES = 0x80, /* kept, but its addend, which is in the bytes, changes */
};

struct relocation_decision {
    enum relocation_action action;
    enum diagnostic_name error;
    const struct relocation_type *type;   /* after replacement of UNIFIED types; NULL unknown */
    const struct symbol *symbol;          /* of a kept or resolved entry; or NULL */
    const struct output_section *section; /* the target is its section symbol; or NULL */
    uint64_t shift;                       /* added to the addend of the output's entry */
    uint64_t value;                       /* to write, without the addend */
    uint32_t bank;                        /* to write with the value */
    bool dynamic;                         /* an address of extern shared memory */
    uint32_t number;                      /* of the type in the output's entry */
};

/* relocations: a relocation section of the object whose target section is in the output. Drops
 * entries that are not read or whose field is removed, replaces UNIFIED types when there are no
 * unified tables, finds the target, and decides by its kind. */
struct relocation_decision relocation_decide(link_context *link, struct input_object *object,
                                             const struct elf_section *relocations,
                                             const struct elf_relocation *entry);

/* True if the entry is against a section symbol, and the object's part of that section does not
 * begin at offset 0 of the output section. The offset of the part is then added to the addend. */
bool relocation_is_to_later_part(const struct input_object *object,
                                 const struct elf_section *relocations,
                                 const struct elf_relocation *entry);

/* True if the entry has no addend and gains one, because it is to a later part (observed). */
static inline bool relocation_gains_addend(const struct input_object *object,
                                           const struct elf_section *relocations,
                                           const struct elf_relocation *entry)
{
    return !elf_section_has_addends(relocations) &&
           relocation_is_to_later_part(object, relocations, entry);
}

/* True if an entry of the list belongs in .rela.X. */
static inline bool relocation_has_addend(const link_context *link,
                                         const struct elf_section *relocations, bool gains_addend)
{
    return gains_addend || elf_section_has_addends(relocations) || link->options.force_addends;
}

/* Whether the change of the addend is applied to the bytes of the output. In a list with addends it
 * is applied to the entry instead. */
static inline bool relocation_shifts_bytes(const struct relocation_decision *decision,
                                           bool with_addend)
{
    return decision->action == ACTION_KEEP && !with_addend && decision->shift && decision->type;
}

/* Whether --preserve-relocs lists the entry that was decided so. `relocated` is the section that
 * the entry patches. What the entry refers to must be in the output, among other conditions. */
bool relocation_is_listed(const link_context *link, const struct output_section *relocated,
                          const struct relocation_decision *decision);

#endif
