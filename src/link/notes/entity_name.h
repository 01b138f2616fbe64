/* The parts of a symbol's name: scope, identifier, and parameters. */
#ifndef WARPLD_LINK_NOTES_ENTITY_NAME_H
#define WARPLD_LINK_NOTES_ENTITY_NAME_H

#include <stdbool.h>

#include "base/bytes.h"

struct entity_name {
    struct bytes scope;      /* the namespaces and classes, as the mangled name spells them */
    struct bytes identifier; /* without template arguments */
    struct bytes rest; /* template arguments and parameters, as the mangled name spells them */
    bool is_mangled;
    bool is_internal; /* static or in an unnamed namespace */
};

/* Splits a name into its parts. Returns false for a name without an identifier, such as that of an
 * operator, a constructor or a local variable, and for a mangled name that no compiler writes. */
bool entity_name_read(struct entity_name *entity, const char *name);

#endif
