/* Names of the program; see linked_names.h. A text is a derived name if it consists of a known
 * prefix and a rest that does not begin with a dot. The rest is its root. So a root is never a
 * derived name itself, and no input can make a chain of derived names. */
#include "link/model/linked_names.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "link/model/link_context.h"

static const struct prefix_facts {
    const char *text;
    size_t size;
    /* For a section with this prefix: the prefixes (enum section_prefix) of the names of its
     * relocation sections, [0] without addends (.rel), [1] with addends (.rela). */
    uint8_t lists[2];
} PREFIXES[] = {
    [PREFIX_NONE] = {"", 0, {PREFIX_NONE, PREFIX_NONE}},
#define SECTION_PREFIX(name, text, rel, rela)                                                      \
    [PREFIX_##name] = {text, sizeof(text) - 1, {PREFIX_##rel, PREFIX_##rela}},
#include "link/model/section_prefix.def"
#undef SECTION_PREFIX
};

#define SECTION_PREFIX(name, text, rel, rela)                                                      \
    _Static_assert(sizeof(text) > 5, "has_prefix looks at five letters");
#include "link/model/section_prefix.def"
#undef SECTION_PREFIX

/* Compares four letters first, because calling strncmp for each row takes a twentieth of a small
 * link's time. */
static bool has_prefix(const char *text, const struct prefix_facts *prefix)
{
    const char *start = prefix->text;
    return text[1] == start[1] && text[2] == start[2] && text[3] == start[3] &&
           text[4] == start[4] && !strncmp(text, start, prefix->size);
}

/* Returns PREFIX_NONE if the text is not the name of a function's section. */
static enum section_prefix prefix_of(const char *text)
{
    for (unsigned i = 1; i < PREFIX_COUNT; i++) {
        if (!has_prefix(text, &PREFIXES[i]))
            continue;
        const char *rest = text + PREFIXES[i].size;
        return *rest && *rest != '.' ? (enum section_prefix)i : PREFIX_NONE;
    }
    return PREFIX_NONE;
}

static struct linked_name *find_in_family(const struct linked_name *root,
                                          enum section_prefix prefix)
{
    struct linked_name *name = root->family;
    while (name && name != root && name->prefix != prefix)
        name = name->family;
    return name == root ? NULL : name;
}

static struct linked_name *add_to_family(link_context *link, struct linked_name *root,
                                         enum section_prefix prefix)
{
    struct linked_name *name = arena_take(&link->arena, &link->names.name_row, 1, sizeof *name);
    name->name.size = (uint32_t)(PREFIXES[prefix].size + root->name.size);
    name->prefix = (uint8_t)prefix;
    name->family = root->family ? root->family : root;
    root->family = name;
    link->names.family_names++;
    return name;
}

static struct linked_name *name_in_family(link_context *link, struct linked_name *root,
                                          enum section_prefix prefix)
{
    struct linked_name *name = find_in_family(root, prefix);
    return name ? name : add_to_family(link, root, prefix);
}

struct linked_name *link_intern(link_context *link, const char *text)
{
    enum section_prefix prefix = *text == '.' ? prefix_of(text) : PREFIX_NONE;
    if (!prefix)
        return name_table_intern(&link->names.all, text);
    const char *rest = text + PREFIXES[prefix].size;
    struct linked_name *name =
        name_in_family(link, name_table_intern(&link->names.all, rest), prefix);
    if (!name->name.text)
        name->name.text = text;
    return name;
}

struct linked_name *link_find_name(const link_context *link, const char *text)
{
    enum section_prefix prefix = *text == '.' ? prefix_of(text) : PREFIX_NONE;
    if (!prefix)
        return name_table_find(&link->names.all, text);
    const struct linked_name *root =
        name_table_find(&link->names.all, text + PREFIXES[prefix].size);
    return root ? find_in_family(root, prefix) : NULL;
}

static const struct linked_name *root_of(const struct linked_name *name)
{
    while (name->prefix)
        name = name->family;
    return name;
}

struct linked_name *link_section_name(link_context *link, enum section_prefix prefix,
                                      struct linked_name *owner)
{
    bool can_derive = !owner->prefix && owner->name.size && *owner->name.text != '.';
    return can_derive ? name_in_family(link, owner, prefix)
                      : link_join_name(link, PREFIXES[prefix].text, owner);
}

struct linked_name *link_list_name(link_context *link, struct linked_name *target,
                                   bool with_addends)
{
    enum section_prefix prefix = (enum section_prefix)PREFIXES[target->prefix].lists[with_addends];
    return prefix ? name_in_family(link, (struct linked_name *)root_of(target), prefix)
                  : link_join_name(link, with_addends ? ".rela" : ".rel", target);
}

struct linked_name *link_join_name(link_context *link, const char *prefix, struct linked_name *name)
{
    return link_intern(link, arena_join(&link->arena, prefix, linked_name_text(link, name)));
}

/* --------------------------------------------------------------------------------------------- */
/* Texts                                                                                         */

const char *linked_name_text(link_context *link, struct linked_name *name)
{
    if (!name->name.text)
        name->name.text =
            arena_join(&link->arena, PREFIXES[name->prefix].text, root_of(name)->name.text);
    return name->name.text;
}

const char *linked_name_text_of(link_context *link, struct linked_name *name,
                                const struct linked_name *root)
{
    if (!name->name.text)
        name->name.text = arena_join(&link->arena, PREFIXES[name->prefix].text, root->name.text);
    return name->name.text;
}

uint8_t *linked_name_write(const struct linked_name *name, uint8_t *out)
{
    const struct linked_name *root = name;
    if (!name->name.text) {
        const struct prefix_facts *prefix = &PREFIXES[name->prefix];
        out = copy_short(out, prefix->text, prefix->size);
        root = root_of(name);
    }
    assert(root->name.text);
    return copy_short(out, root->name.text, root->name.size);
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
        name_table_find(&link->names.used_section_names, name->name.text);
    return &used->uses;
}

struct name_uses *name_add_uses_to_section(link_context *link, struct linked_name *name)
{
    struct used_section_name *used =
        name_table_intern(&link->names.used_section_names, linked_name_text(link, name));
    name->has_uses = true;
    return &used->uses;
}

void linked_names_init(link_context *link)
{
    name_table_init(&link->names.all, &link->arena, sizeof(struct root_name));
    name_table_init(&link->names.used_section_names, &link->arena,
                    sizeof(struct used_section_name));
    name_table_init(&link->names.static_functions, &link->arena, sizeof(struct static_function));
}
