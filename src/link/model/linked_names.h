/* The names of the program: one entry for each text, with what the link knows about it.
 *
 * Five of six names in a link of many objects are names of a function's sections. Such a derived
 * name consists of a known prefix (section_prefix.def) and its root, the function's name. A root
 * and its derived names form a ring, the family. Derived names need no hashing and are next to each
 * other in memory; all other names are in link->names.all. A text has only one entry, whether
 * link_intern or link_section_name looks it up.
 *
 *      names.all --> "scale" --family--> ".text.scale" --family--> ".nv.info.scale" --+
 *                       ^                  PREFIX_TEXT               PREFIX_INFO      |
 *                       +-------------------------- family ---------------------------+ */
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
    /* name.offset is the offset in .strtab, or 0 if the name is not there yet. For name.text see
     * linked_name_text. */
    struct name name;
    struct output_section *section; /* the output section found by that name; or NULL */
    struct linked_name *family;     /* next in the ring; NULL: no derived names */
    uint32_t shstrtab_offset;       /* offset in .shstrtab; 0 if not yet there */
    uint8_t prefix;                 /* enum section_prefix; PREFIX_NONE if it is no derived name */
    bool has_uses;                  /* it has an entry in link->names.used_section_names */
};
_Static_assert(sizeof(struct linked_name) <= 40, "there are many");

/* What a name is used for, other than as the name of a section. Derived names hardly ever have such
 * uses. So the uses of a derived name (has_uses) are in a table, and those of other names in
 * root_name. */
struct name_uses {
    struct symbol *symbol;      /* the program's symbol of that name */
    struct symbol *first_local; /* the first static symbol of that name */
    /* The node in the call graph, if the name is a prototype that is called indirectly; otherwise
     * 0. */
    uint32_t prototype_node;
    bool is_prototype; /* a prototype or a text of .nv.metadata, in output.prototypes */
};

/* A name in link->names.all. Three kinds of linked_name are not in this table: derived names, the
 * names of counterparts, and the entries of .shstrtab that have no text, but stand for NUL bytes.
 */
struct root_name {
    struct linked_name name;
    struct name_uses uses;
};

/* The first static function of a name; see function_first_static. */
struct static_function {
    struct name name;
    struct function *function;
};

/* All names of a link. */
struct linked_names {
    struct name_table all;                /* of struct root_name */
    struct name_table used_section_names; /* uses of derived names, by name */
    /* Of struct static_function: static functions that were read after a static variable of the
     * same name. */
    struct name_table static_functions;
    size_t family_names; /* number of derived names */
    struct arena_row name_row;
};

void linked_names_init(struct warpld_link *link);

/* Returns the entry of a text, and creates it if there is none. The text must live as long as the
 * link. */
struct linked_name *link_intern(struct warpld_link *link, const char *text);

/* Returns the entry of a text; NULL if the text was never interned. */
struct linked_name *link_find_name(const struct warpld_link *link, const char *text);

/* Returns the entry of the text prefix + name, and creates it if there is none. */
struct linked_name *link_join_name(struct warpld_link *link, const char *prefix,
                                   struct linked_name *name);

/* link_section_name returns the name of a section of the function that `owner` names,
 * link_list_name the name of the relocation section (".rel" or ".rela" + name) of the section that
 * `target` names. link_join_name would return the same entries, but these functions are faster,
 * because they compare no whole texts. */
struct linked_name *link_section_name(struct warpld_link *link, enum section_prefix prefix,
                                      struct linked_name *owner);
struct linked_name *link_list_name(struct warpld_link *link, struct linked_name *target,
                                   bool with_addends);

/* Returns the text of any name. The text of a derived name is made when it is first asked for,
 * because only messages and rare cases need it. So this function must not be called on several
 * threads. */
const char *linked_name_text(struct warpld_link *link, struct linked_name *name);

/* Returns what linked_name_text returns, for the name of a section of a function or of that
 * section's relocations. `root` is the function's name, which linked_name_text would search for. */
const char *linked_name_text_of(struct warpld_link *link, struct linked_name *name,
                                const struct linked_name *root);

/* Copies the text of a name to `out`, and returns the end of the copy. */
uint8_t *linked_name_write(const struct linked_name *name, uint8_t *out);

/* The uses of a name. name_uses and name_uses_of_section are for reading them, name_add_uses and
 * name_add_uses_to_section for adding to them. */
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
