/* Which of several weak definitions of a function the program uses. */
#ifndef WARPLD_LINK_RESOLVE_WEAK_H
#define WARPLD_LINK_RESOLVE_WEAK_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Whether the object's weak definition beats the one that the symbol has. */
bool weak_function_wins(link_context *link, const struct symbol *symbol,
                        struct input_object *object, uint32_t index);

/* Weak kernels of one name must have parameters of one size; notes it when they have not. */
void weak_check_parameters(link_context *link, const struct symbol *symbol,
                           struct input_object *object, uint32_t index);

/* Reports it when the parameter bank is read, which a symbol in it brings about, or else the end of
 * the object. */
void weak_report_parameters(link_context *link, struct input_object *object, uint32_t section);

/* The held definition of a weak function is about to lose to the object's. */
void weak_replace(link_context *link, struct symbol *symbol, const struct input_object *object);

/* Whether what the debug section says of a function goes with the copy that it came with. */
bool weak_section_follows_copy(const struct elf_section *section);

/* Whether what such a section's relocations say of the object's copy of a function, which is not
 * the one used, is left out; forgets: they are of those that nvlink forgets of replaced copies. */
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
