/* Names of the program, each once, with what the link knows under it.
 *
 * Most sections are named after a function: of six names in a link of many objects five are such.
 * They hang from the function's name, where they are found without hashing and beside each other in
 * memory; all others stand in link->names. A text has one entry, whichever way it is asked for. */
#ifndef WARPLD_LINK_LINKED_NAMES_H
#define WARPLD_LINK_LINKED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name_table.h"

struct output_section;
struct symbol;
struct warpld_link;

struct linked_name {
    struct name name;
    struct symbol *symbol;          /* the program's symbol of that name */
    struct symbol *first_local;     /* the first static symbol of that name */
    struct output_section *section; /* the shared output section of that name */
    struct linked_name *family;     /* a ring of a name and those of its sections; NULL: has none */
    uint32_t prototype_node;        /* call graph node of a prototype called indirectly, 0 none */
    uint32_t strtab_offset;         /* in the output's string tables; 0 not yet there */
    uint32_t shstrtab_offset;
    bool is_prototype; /* stands among the first strings of .strtab */
    uint8_t prefix; /* of a section's name in a ring: number of its row, from 1; 0 of the other */
};

/* The entry of a text, made when it is new; the text must live as long as the link. */
struct linked_name *link_intern(struct warpld_link *link, const char *text);

/* The entry of a text that was interned before; NULL when it was not. */
struct linked_name *link_find_name(const struct warpld_link *link, const char *text);

/* The entry of prefix + name. */
struct linked_name *link_join_name(struct warpld_link *link, const char *prefix,
                                   struct linked_name *name);

#endif
