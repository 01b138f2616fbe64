/* Decides which of several weak definitions of a function the program uses. */
#ifndef WARPLD_LINK_RESOLVE_WEAK_H
#define WARPLD_LINK_RESOLVE_WEAK_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Whether the object's weak definition supersedes the one that the symbol has. It does if it needs
 * fewer registers, or if it needs the same number and has a higher virtual SM. */
bool weak_function_wins(link_context *link, const struct symbol *symbol,
                        struct input_object *object, uint32_t index);

/* Records whether a weak kernel and an earlier kernel of its name have parameters of different
 * sizes, which is an error. */
void weak_check_parameters(link_context *link, const struct symbol *symbol,
                           struct input_object *object, uint32_t index);

/* Reports parameters of different sizes, which weak_check_parameters has recorded. This is called
 * when a symbol in the parameter bank is read; if there is none, at the end of the object. */
void weak_report_parameters(link_context *link, struct input_object *object, uint32_t section);

/* Records in which objects nvlink ignores relocations that refer to the function. This is called
 * when the object's copy of a weak function is about to supersede the one that the symbol has. */
void weak_supersede(link_context *link, struct symbol *symbol, const struct input_object *object);

/* Whether data about a function in that debug section belongs to the copy in the same object. */
bool weak_section_follows_copy(const struct elf_section *section);

/* Whether relocations that refer to this copy are ignored, in a debug section whose data belongs to
 * the copy. The copy must not be the one that the program uses. `forgets` is true for relocations
 * of the kind that nvlink ignores for superseded copies, see weak_supersede. */
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
