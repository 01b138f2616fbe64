/* Records the bytes of weak variables that were discarded because another weak definition was read
 * first.
 *
 * The output keeps these bytes, but relocations in them are ignored (nvlink 13.0.88; observed with
 * each order of two and three copies, each kind of target, and with symbol sizes that differ from
 * the number of bytes). Two kinds of relocations are not ignored: those in a weak variable that
 * gives way to a GLOBAL one, whichever was read first, and those in constant memory. */
#ifndef WARPLD_LINK_RESOLVE_DISCARDED_RANGES_H
#define WARPLD_LINK_RESOLVE_DISCARDED_RANGES_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Adds the bytes of a weak variable that is discarded in favour of another weak one. */
void discarded_ranges_add(link_context *link, struct input_object *object,
                          const struct elf_symbol *variable);

/* Sorts the ranges and merges overlapping ones, once all ranges of the object are added. */
void discarded_ranges_sort(struct input_object *object);

/* Whether the byte at this offset of a native section belongs to a discarded variable. */
bool discarded_ranges_have(const struct input_object *object, uint32_t section, uint64_t offset);

/* Whether the link applies the relocation entry. It ignores two kinds of entries:
 * - entries of debug sections that refer to a discarded copy of a function, if
 *   weak_section_follows_copy is true for the debug section (observed)
 * - entries that patch the bytes of a discarded variable in initialised global memory */
bool relocation_of_discarded_is_read(const struct input_object *object,
                                     const struct elf_section *relocations,
                                     const struct elf_relocation *entry);

static inline bool relocation_is_read(const struct input_object *object,
                                      const struct elf_section *relocations,
                                      const struct elf_relocation *entry)
{
    return !object->has_discarded || relocation_of_discarded_is_read(object, relocations, entry);
}

#endif
