/* Decides what becomes of one relocation. pass_scan and the writer use the same decisions. */
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
    ACTION_DROP,  /* the output has no entry, and nothing is written */
    ACTION_KEEP,  /* the output has the entry, for the driver */
    ACTION_WRITE, /* the value is written into the field; the output has no entry */
    ACTION_CLEAR, /* the field is set to zero; the output has no entry, except one that
                     --preserve-relocs lists */
    ACTION_FAIL,  /* `error` says why */
};

/* The byte that pass_scan stores for each entry: the action in the lower bits, and flags in the
 * others. */
enum {
    ENTRY_ACTION = 0x3f,
    ENTRY_IS_PLAIN = 0x40,     /* kept, with unchanged type, symbol and addend */
    ENTRY_SHIFTS_BYTES = 0x80, /* kept; its addend is in the bytes and changes */
};

struct relocation_decision {
    enum relocation_action action;
    enum diagnostic_name error;
    const struct relocation_type *type; /* the type, or its replacement; NULL if unknown */
    const struct symbol *symbol; /* the symbol that a kept or resolved entry refers to, or NULL */
    const struct output_section *section; /* else the section whose symbol it refers to, or NULL */
    uint64_t shift;                       /* added to the addend of the output's entry */
    uint64_t value;                       /* the value to be written, without the addend */
    uint32_t bank;                        /* the bank number to be written with the value */
    bool dynamic;                         /* the value is an address of extern shared memory */
    uint32_t number;                      /* number of the type in the output's entry */
};

/* Decides an entry. `relocations` is its list in the object; the section that the list patches must
 * be in the output. An entry is dropped if the link ignores it (see relocation_is_read) or if its
 * field is removed. UNIFIED types are replaced if there is no index file. All other decisions
 * depend on the target. */
struct relocation_decision relocation_decide(link_context *link, struct input_object *object,
                                             const struct elf_section *relocations,
                                             const struct elf_relocation *entry);

/* True if the entry refers to a section symbol, and the object's part of that section does not
 * begin at offset 0 of the output section. The offset of the part is then added to the addend. */
bool relocation_is_to_later_part(const struct input_object *object,
                                 const struct elf_section *relocations,
                                 const struct elf_relocation *entry);

/* True if the entry is in a list without addends and gets an addend, because it refers to a later
 * part (observed). */
static inline bool relocation_gains_addend(const struct input_object *object,
                                           const struct elf_section *relocations,
                                           const struct elf_relocation *entry)
{
    return !elf_section_has_addends(relocations) &&
           relocation_is_to_later_part(object, relocations, entry);
}

/* True if the output has the entry in a list with addends, .rela.X. */
static inline bool relocation_has_addend(const link_context *link,
                                         const struct elf_section *relocations, bool gains_addend)
{
    return gains_addend || elf_section_has_addends(relocations) || link->options.force_addends;
}

/* Whether the writer adds the decision's `shift` to bytes of the output: the list has no addends,
 * so the bytes at the relocation field contain the addend. In a list with addends, the writer
 * changes the entry instead. */
static inline bool relocation_shifts_bytes(const struct relocation_decision *decision,
                                           bool with_addend)
{
    return decision->action == ACTION_KEEP && !with_addend && decision->shift && decision->type;
}

/* Whether --preserve-relocs lists an entry with this decision. `relocated` is the section that the
 * entry patches. Among other conditions, the output must contain what the entry refers to. */
bool relocation_is_listed(const link_context *link, const struct output_section *relocated,
                          const struct relocation_decision *decision);

#endif
