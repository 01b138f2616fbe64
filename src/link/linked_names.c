/* Names of the program; see linked_names.h.
 *
 * A text hangs from another name when it is a known prefix with a name behind it that does not
 * begin with a dot. So the name behind is never one that hangs, and no file can make a chain of
 * them. */
#include "link/linked_names.h"

#include <string.h>

#include "link/link.h"

static const struct section_prefix {
    const char *text;
    size_t size;
} PREFIXES[] = {
#define SECTION_PREFIX(text) {text, sizeof(text) - 1},
#include "link/section_prefix.def"
#undef SECTION_PREFIX
};
enum { PREFIX_COUNT = sizeof PREFIXES / sizeof *PREFIXES };

#define SECTION_PREFIX(text) _Static_assert(sizeof(text) > 5, "begins_with looks at five letters");
#include "link/section_prefix.def"
#undef SECTION_PREFIX

/* A call for each row would take a twentieth of a small link: most differ in a few letters. */
static bool begins_with(const char *text, const struct section_prefix *prefix)
{
    const char *other = prefix->text;
    return text[1] == other[1] && text[2] == other[2] && text[3] == other[3] &&
           text[4] == other[4] && !strncmp(text, other, prefix->size);
}

/* Number of the row that the text begins with, 0 when it is not the name of a function's section.
 */
static unsigned prefix_of(const char *text)
{
    for (unsigned i = 0; i < PREFIX_COUNT; i++) {
        const char *rest = text + PREFIXES[i].size;
        if (begins_with(text, &PREFIXES[i]))
            return *rest && *rest != '.' ? i + 1 : 0;
    }
    return 0;
}

/* The same for the text first + second, where second is whole a prefix. */
static unsigned prefix_of_both(const char *first, const struct section_prefix *second)
{
    size_t size = strlen(first);
    for (unsigned i = 0; i < PREFIX_COUNT; i++)
        if (PREFIXES[i].size == size + second->size && !memcmp(PREFIXES[i].text, first, size) &&
            !memcmp(PREFIXES[i].text + size, second->text, second->size))
            return i + 1;
    return 0;
}

static struct linked_name *find_in_family(const struct linked_name *root, unsigned prefix)
{
    struct linked_name *name = root->family;
    while (name && name != root && name->prefix != prefix)
        name = name->family;
    return name == root ? NULL : name;
}

static struct linked_name *add_to_family(link_context *link, struct linked_name *root,
                                         unsigned prefix)
{
    struct linked_name *name = ARENA_NEW(ARENA, struct linked_name);
    name->name.size = (uint32_t)(PREFIXES[prefix - 1].size + root->name.size);
    name->prefix = (uint8_t)prefix;
    name->family = root->family ? root->family : root;
    root->family = name;
    link->family_names++;
    return name;
}

static struct linked_name *name_in_family(link_context *link, struct linked_name *root,
                                          unsigned prefix)
{
    struct linked_name *name = find_in_family(root, prefix);
    return name ? name : add_to_family(link, root, prefix);
}

struct linked_name *link_intern(link_context *link, const char *text)
{
    unsigned prefix = *text == '.' ? prefix_of(text) : 0;
    if (!prefix)
        return name_table_intern(&link->names, text);
    const char *rest = text + PREFIXES[prefix - 1].size;
    struct linked_name *name = name_in_family(link, name_table_intern(&link->names, rest), prefix);
    if (!name->name.text)
        name->name.text = text;
    return name;
}

struct linked_name *link_find_name(const link_context *link, const char *text)
{
    unsigned prefix = *text == '.' ? prefix_of(text) : 0;
    if (!prefix)
        return name_table_find(&link->names, text);
    const struct linked_name *root =
        name_table_find(&link->names, text + PREFIXES[prefix - 1].size);
    return root ? find_in_family(root, prefix) : NULL;
}

static struct linked_name *root_of(struct linked_name *name)
{
    while (name->prefix)
        name = name->family;
    return name;
}

/* The usual ways to the name of a function's section, without a look at the whole text. */
static struct linked_name *join_in_family(link_context *link, const char *prefix,
                                          struct linked_name *name)
{
    static const struct section_prefix NONE = {"", 0};
    if (!name->prefix && (!name->name.size || *name->name.text == '.'))
        return NULL;
    const struct section_prefix *second = name->prefix ? &PREFIXES[name->prefix - 1] : &NONE;
    unsigned both = prefix_of_both(prefix, second);
    return both ? name_in_family(link, root_of(name), both) : NULL;
}

struct linked_name *link_join_name(link_context *link, const char *prefix, struct linked_name *name)
{
    struct linked_name *joined = join_in_family(link, prefix, name);
    if (joined)
        return joined;
    return link_intern(link, arena_join(ARENA, prefix, linked_name_text(link, name)));
}

/* --------------------------------------------------------------------------------------------- */
/* Texts                                                                                         */

/* What stands behind the prefix. */
static const struct linked_name *const_root_of(const struct linked_name *name)
{
    while (name->prefix)
        name = name->family;
    return name;
}

const char *linked_name_text(link_context *link, struct linked_name *name)
{
    if (!name->name.text)
        name->name.text =
            arena_join(ARENA, PREFIXES[name->prefix - 1].text, root_of(name)->name.text);
    return name->name.text;
}

uint8_t *linked_name_write(const struct linked_name *name, uint8_t *place)
{
    const struct linked_name *root = name;
    if (!name->name.text) {
        const struct section_prefix *prefix = &PREFIXES[name->prefix - 1];
        memcpy(place, prefix->text, prefix->size);
        place += prefix->size;
        root = const_root_of(name);
    }
    memcpy(place, root->name.text, root->name.size);
    return place + root->name.size;
}

/* --------------------------------------------------------------------------------------------- */
/* Uses                                                                                          */

struct used_section_name {
    struct name name;
    struct name_uses uses;
};

const struct name_uses *name_uses_of_section(const link_context *link,
                                             const struct linked_name *name)
{
    static const struct name_uses NONE;
    if (!name->has_uses)
        return &NONE;
    const struct used_section_name *used =
        name_table_find(&link->used_section_names, name->name.text);
    return &used->uses;
}

struct name_uses *name_add_uses_to_section(link_context *link, struct linked_name *name)
{
    struct used_section_name *used =
        name_table_intern(&link->used_section_names, linked_name_text(link, name));
    name->has_uses = true;
    return &used->uses;
}

void linked_names_init(link_context *link)
{
    name_table_init(&link->names, ARENA, sizeof(struct root_name));
    name_table_init(&link->used_section_names, ARENA, sizeof(struct used_section_name));
}
