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

/* If weak_check_parameters has recorded a difference for the kernel whose parameter bank is
 * `section`, reports it. pass_resolve calls this when it reads a symbol in that bank, or at the end
 * of the object if there is no such symbol. */
void weak_report_parameters(link_context *link, struct input_object *object, uint32_t section);

/* Called when the object's copy of a weak function is about to supersede the copy that the symbol
 * has. Records in which objects nvlink ignores relocations of debug data that refer to the
 * function. */
void weak_supersede(link_context *link, struct symbol *symbol, const struct input_object *object);

/* Whether the section is a debug section in which data about a function belongs to one copy of it:
 * the copy in the same object. */
bool weak_section_follows_copy(const struct elf_section *section);

/* Whether relocations that refer to an unused copy of a function are ignored, if they are in a
 * debug section for which weak_section_follows_copy is true. `symbol` is the index of the copy's
 * symbol in the object. `forgets` is true for relocations of the kind that nvlink ignores for
 * superseded copies, see weak_supersede. */
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
