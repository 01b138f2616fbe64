/* The parts of a symbol's name: scope, identifier, and parameters. */
#ifndef WARPLD_LINK_NOTES_ENTITY_NAME_H
#define WARPLD_LINK_NOTES_ENTITY_NAME_H

#include <stdbool.h>

#include "base/bytes.h"

struct entity_name {
    struct bytes scope;      /* the namespaces and classes as they are in the mangled name */
    struct bytes identifier; /* without template arguments */
    struct bytes rest;       /* template arguments and parameters as they are in the name */
    bool is_mangled;
    bool is_internal; /* static or in an unnamed namespace */
};

/* Returns false for names without an identifier: those of operators, constructors and local
 * variables, and mangled names that no compiler writes. */
bool entity_name_read(struct entity_name *entity, const char *name);

#endif
