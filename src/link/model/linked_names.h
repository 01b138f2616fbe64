/* Names of the program, each once, with what the link knows under it.
 *
 * Most sections are named after a function: of six names in a link of many objects five are such.
 * They hang from the function's name, where they are found without hashing and beside each other in
 * memory; all others stand in link->names.all. A text has one entry, whichever way it is asked for.
 */
#ifndef WARPLD_LINK_MODEL_LINKED_NAMES_H
#define WARPLD_LINK_MODEL_LINKED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/name_table.h"

struct function;
struct output_section;
struct symbol;
struct warpld_link;

enum section_prefix {
    PREFIX_NONE,
#define SECTION_PREFIX(name, text, rel, rela) PREFIX_##name,
#include "link/model/section_prefix.def"
#undef SECTION_PREFIX
    PREFIX_COUNT,
};

struct linked_name {
    struct name name;               /* its offset: in .strtab, 0 not yet there; its text: see
                                       linked_name_text */
    struct output_section *section; /* the shared output section of that name */
    struct linked_name *family;     /* a ring of a name and those of its sections; NULL: has none */
    uint32_t shstrtab_offset;       /* 0 not yet there */
    uint8_t prefix;                 /* enum section_prefix: of a section's name in a ring */
    bool has_uses; /* of a section's name in a ring: stands in link->names.used_section_names */
};
_Static_assert(sizeof(struct linked_name) <= 40, "there are many");

/* What else than sections has a name: only by chance one that hangs from another. */
struct name_uses {
    struct symbol *symbol;      /* the program's symbol of that name */
    struct symbol *first_local; /* the first static symbol of that name */
    uint32_t prototype_node;    /* call graph node of a prototype called indirectly, 0 none */
    bool is_prototype;          /* stands among the first strings of .strtab */
};

/* A name in link->names.all, which hangs from none. Twins' names and room between strings are none.
 */
struct root_name {
    struct linked_name name;
    struct name_uses uses;
};

/* The first of a name; see function_first_static. */
struct static_function {
    struct name name;
    struct function *function;
};

/* All names of a link. */
struct linked_names {
    struct name_table all;                /* of struct root_name */
    struct name_table used_section_names; /* see linked_names.c */
    struct name_table static_functions;   /* behind a static variable of their name */
    size_t family_names;                  /* beside them, see linked_names.h */
    struct arena_row name_row;
};

void linked_names_init(struct warpld_link *link);

/* The entry of a text, made when it is new; the text must live as long as the link. */
struct linked_name *link_intern(struct warpld_link *link, const char *text);

/* The entry of a text that was interned before; NULL when it was not. */
struct linked_name *link_find_name(const struct warpld_link *link, const char *text);

/* The entry of prefix + name. */
struct linked_name *link_join_name(struct warpld_link *link, const char *prefix,
                                   struct linked_name *name);

/* The same, without a look at the whole text: the name of a function's section, and that of the
 * list of a section's relocations, ".rel" or ".rela" + name. */
struct linked_name *link_section_name(struct warpld_link *link, enum section_prefix prefix,
                                      struct linked_name *owner);
struct linked_name *link_list_name(struct warpld_link *link, struct linked_name *target,
                                   bool with_addends);

/* The text of any name. Of those that were joined it is made when it is asked for, which is for
 * messages and rare cases, so not on several threads. */
const char *linked_name_text(struct warpld_link *link, struct linked_name *name);

/* Copies the text; returns the place behind it. */
uint8_t *linked_name_write(const struct linked_name *name, uint8_t *place);

/* To read the uses, and to add to them. */
const struct name_uses *name_uses_of_section(const struct warpld_link *link,
                                             const struct linked_name *name);
struct name_uses *name_add_uses_to_section(struct warpld_link *link, struct linked_name *name);
static inline const struct name_uses *name_uses(const struct warpld_link *link,
                                                const struct linked_name *name)
{
    return name->prefix ? name_uses_of_section(link, name)
                        : &((const struct root_name *)name)->uses;
}
static inline struct name_uses *name_add_uses(struct warpld_link *link, struct linked_name *name)
{
    return name->prefix ? name_add_uses_to_section(link, name) : &((struct root_name *)name)->uses;
}

#endif
