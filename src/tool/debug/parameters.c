/* Finds a function in debug information; see parameters.h. */
#include "tool/debug/parameters.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "tool/debug/dwarf.h"

static struct bytes section_of(const struct elf_view *view, const char *name)
{
    for (uint32_t i = 1; i < view->section_count; i++)
        if (view->sections[i].view == VIEW_NATIVE && !strcmp(view->sections[i].name, name))
            return section_bytes(&view->sections[i]);
    return (struct bytes){0};
}

/* ---------------------------------------------------------------------------------------------- */
/* Types                                                                                          */

/* Returns the suffix that turns the text of a type into that of a derived type: "*" for a pointer
 * type. Returns NULL for a type that is not derived. */
static const char *suffix_of(uint32_t tag)
{
    switch (tag) {
    case DW_TAG_POINTER:
        return "*";
    case DW_TAG_REFERENCE:
        return "&";
    case DW_TAG_CONST:
        return " const";
    case DW_TAG_VOLATILE:
        return " volatile";
    case DW_TAG_RESTRICT:
        return " __restrict__";
    case DW_TAG_ARRAY:
        return "[]";
    default:
        return NULL;
    }
}

/* Returns the type as libsupc++ spells it, such as "point const*". The number of derived types is
 * limited, because damaged entries can refer to each other in a circle. */
static const char *type_text(const struct dwarf_unit *unit, uint64_t offset, struct arena *arena)
{
    enum { LONGEST = 16 };
    const char *suffixes = "";
    for (int i = 0; i < LONGEST; i++) {
        struct dwarf_entry entry;
        uint64_t next;
        if (!offset)
            return arena_format(arena, "void%s", suffixes);
        if (!dwarf_entry_read(unit, offset, &entry, &next))
            break;
        const char *suffix = suffix_of(entry.tag);
        const char *name = entry.name ? entry.name : "(unnamed)";
        if (!suffix && !dwarf_afford(unit->dwarf, strlen(name)))
            break;
        if (!suffix)
            return arena_format(arena, "%s%s", name, suffixes);
        suffixes = arena_format(arena, "%s%s", suffix, suffixes);
        offset = entry.type;
    }
    return arena_format(arena, "(unknown)%s", suffixes);
}

/* ---------------------------------------------------------------------------------------------- */
/* Functions                                                                                      */

struct parameter_search {
    const char *function;
    struct arena *arena;
    bool is_found;
    GROWING_ARRAY(struct debug_parameter, all);
};

/* Returns true if the entry is that of the function. Names that begin alike are compared only if
 * the time for it is left. */
static bool is_function(struct dwarf *dwarf, const struct dwarf_entry *entry, const char *name)
{
    enum { START = 64 };
    const char *own = entry->linkage_name ? entry->linkage_name : entry->name;
    return entry->tag == DW_TAG_SUBPROGRAM && own && !strncmp(own, name, START) &&
           dwarf_afford(dwarf, strlen(name)) && !strcmp(own, name);
}

/* Collects the parameters of a function whose first child entry is at the offset `at`. */
static void take_parameters(struct parameter_search *search, const struct dwarf_unit *unit,
                            uint64_t at)
{
    struct dwarf_entry entry;
    for (uint64_t depth = 1; depth && dwarf_entry_read(unit, at, &entry, &at);) {
        if (!entry.tag)
            depth--;
        else if (entry.tag == DW_TAG_PARAMETER && depth == 1)
            *ARENA_APPEND(search->arena, search, all) =
                (struct debug_parameter){entry.name, type_text(unit, entry.type, search->arena)};
        depth += entry.tag && entry.has_children;
    }
}

static void search_unit(struct parameter_search *search, const struct dwarf_unit *unit)
{
    struct dwarf_entry entry;
    uint64_t at = unit->first;
    while (!search->is_found && dwarf_entry_read(unit, at, &entry, &at)) {
        if (!is_function(unit->dwarf, &entry, search->function))
            continue;
        search->is_found = true;
        if (entry.has_children)
            take_parameters(search, unit, at);
    }
}

struct debug_parameter *debug_parameters_read(const struct subject *subject, const char *function,
                                              uint32_t *count, struct arena *arena)
{
    struct dwarf dwarf;
    dwarf_init(&dwarf, section_of(&subject->view, ".debug_info"),
               section_of(&subject->view, ".debug_abbrev"),
               section_of(&subject->view, ".debug_str"));
    struct parameter_search search = {.function = function, .arena = arena};
    struct dwarf_unit unit;
    for (uint64_t at = 0; !search.is_found && dwarf_unit_read(&unit, &dwarf, at, arena);
         at = unit.end)
        search_unit(&search, &unit);
    *count = search.all_count;
    return search.is_found ? search.all : NULL;
}
