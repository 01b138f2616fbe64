/* Decides which of several weak definitions of a function the program uses. */
#ifndef WARPLD_LINK_RESOLVE_WEAK_H
#define WARPLD_LINK_RESOLVE_WEAK_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Whether the object's weak definition supersedes the one that the symbol has: it needs fewer
 * registers, or the same number and was compiled from a higher virtual SM. */
bool weak_function_wins(link_context *link, const struct symbol *symbol,
                        struct input_object *object, uint32_t index);

/* Weak kernels of one name must have parameters of the same size. Records whether these differ. */
void weak_check_parameters(link_context *link, const struct symbol *symbol,
                           struct input_object *object, uint32_t index);

/* Reports parameters of different sizes, which weak_check_parameters noted. Called when a symbol in
 * the parameter bank is read, or else at the end of the object. */
void weak_report_parameters(link_context *link, struct input_object *object, uint32_t section);

/* Called when the object's copy of a weak function is about to supersede the symbol's. Records the
 * objects whose relocations about the function nvlink then ignores. */
void weak_supersede(link_context *link, struct symbol *symbol, const struct input_object *object);

/* Whether the debug section's data about a function belongs to the copy in the same object. */
bool weak_section_follows_copy(const struct elf_section *section);

/* Requires: the object's copy of the function is not the one in use. Whether relocations about this
 * copy are ignored in a debug section whose data follows the copy. forgets: the relocations are of
 * the kind that nvlink ignores for superseded copies, see weak_supersede. */
static inline bool weak_copy_is_forgotten(const struct input_object *object, uint32_t symbol,
                                          bool forgets)
{
    uint8_t copy = object->copies[symbol];
    if (copy != COPY_SUPERSEDED)
        return copy == COPY_DISCARDED;
    const struct function *function = object->symbols[symbol]->function;
    return forgets && object->position < function_rare(function)->forgotten_before;
}

#endif
