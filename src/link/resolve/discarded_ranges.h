/* Bytes of weak variables that lost to other weak ones.
 *
 * They stay in the output, but relocations in them count for nothing (nvlink 13.0.88; observed with
 * each order of two and three copies, each kind of target, and with sizes that are not those of the
 * bytes). Those in the place of a weak variable that loses to a GLOBAL one stay, and those in
 * constant memory. */
#ifndef WARPLD_LINK_RESOLVE_DISCARDED_RANGES_H
#define WARPLD_LINK_RESOLVE_DISCARDED_RANGES_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* The object's copy of a weak variable loses to another weak one. */
void discarded_ranges_add(link_context *link, struct input_object *object,
                          const struct elf_symbol *variable);

/* When all of the object are added, which may overlap. */
void discarded_ranges_sort(struct input_object *object);

/* Whether the byte of a native section is in such a variable. */
bool discarded_ranges_have(const struct input_object *object, uint32_t section, uint64_t offset);

/* False for an entry that counts for nothing: in some debug sections one about a copy that was
 * rejected (observed), in initialised memory one in such a copy's place, see discarded_ranges.h. */
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
