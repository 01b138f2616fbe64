/* Definitions that an undefined symbol may mean; see near_misses.h. pass_undefined calls these
 * functions when a link fails. nvlink has no such notes.
 *
 * A table contains the identifiers of the undefined symbols in lower case. The identifier of each
 * definition is looked up once in this table, so the time is linear in the number of names in the
 * inputs. */
#include "link/notes/near_misses.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/notes/entity_name.h"
#include "link/notes/shown_name.h"

/* At most MOST_EXPLAINED undefined symbols are explained, each with at most MOST_MISSES near
 * misses. A definition is compared with at most MOST_ALIKE undefined symbols of the same
 * identifier. */
enum { MOST_EXPLAINED = 2000, MOST_MISSES = 3, MOST_ALIKE = 16, LONGEST_IDENTIFIER = 256 };

/* The difference between a definition and an undefined symbol, from the nearest definitions to the
 * farthest. The definition
 *
 *   - NEAR_STATIC      is static, or in an unnamed namespace
 *   - NEAR_LINKAGE     is a function with a mangled name, and the undefined symbol has a plain
 *                      name, or the reverse
 *   - NEAR_PARAMETERS  has other parameters
 *   - NEAR_INSTANCE    has other template arguments
 *   - NEAR_SCOPE       is in another namespace or class
 *   - NEAR_CASE        has an identifier with other upper and lower case letters */
enum nearness { NEAR_STATIC, NEAR_LINKAGE, NEAR_PARAMETERS, NEAR_INSTANCE, NEAR_SCOPE, NEAR_CASE };

struct miss {
    const char *name;
    const struct input_object *object;
    enum nearness nearness;
};

/* An undefined symbol, and the near misses that were found for it. */
struct wanted {
    struct entity_name entity;
    const char *name;
    bool is_function;
    struct miss misses[MOST_MISSES]; /* the nearest ones, nearest first */
    uint32_t misses_count;
    uint32_t next; /* number of the symbol with the same identifier that was added before this one;
                    * 0: none */
};

struct identifier {
    struct name name;
    uint32_t first; /* number of the last added symbol with this identifier */
};

void near_misses_init(struct near_misses *misses, link_context *link, uint32_t count)
{
    misses->link = link;
    misses->count = count < MOST_EXPLAINED ? count : MOST_EXPLAINED;
    misses->wanted = ARENA_ARRAY(&link->arena, struct wanted, misses->count);
    name_table_init(&misses->by_identifier, &link->arena, sizeof(struct identifier));
}

/* Writes the identifier in lower case, by the rules of ASCII. Returns false if it is too long. */
static bool fold(struct bytes identifier, char folded[LONGEST_IDENTIFIER])
{
    if (!identifier.size || identifier.size > LONGEST_IDENTIFIER)
        return false;
    for (uint64_t i = 0; i < identifier.size; i++) {
        char c = (char)identifier.data[i];
        folded[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return true;
}

void near_misses_add(struct near_misses *misses, const struct symbol *symbol)
{
    uint32_t number = symbol_rare(symbol)->undefined_number;
    const char *name = symbol_name(symbol);
    char folded[LONGEST_IDENTIFIER];
    struct entity_name entity;
    if (number > misses->count || !entity_name_read(&entity, name) ||
        !fold(entity.identifier, folded))
        return;
    struct arena *arena = &misses->link->arena;
    const char *key = arena_copy_string(arena, folded, (size_t)entity.identifier.size);
    struct identifier *identifier =
        name_table_intern_bytes(&misses->by_identifier, key, (size_t)entity.identifier.size);
    struct wanted *wanted = &misses->wanted[number - 1];
    *wanted = (struct wanted){.entity = entity,
                              .name = name,
                              .is_function = symbol->function != NULL,
                              .next = identifier->first};
    identifier->first = number;
}

/* Returns the difference between a definition and the undefined symbol, from the parts of their
 * names. Variables in the global namespace have plain names. So two variables can have the same
 * linkage although only one name is mangled. */
static enum nearness compare(const struct wanted *wanted, const struct entity_name *found)
{
    const struct entity_name *entity = &wanted->entity;
    if (!bytes_equal(entity->identifier, found->identifier))
        return NEAR_CASE;
    if (entity->is_mangled != found->is_mangled && wanted->is_function)
        return NEAR_LINKAGE;
    if (!bytes_equal(entity->scope, found->scope))
        return NEAR_SCOPE;
    if (bytes_equal(entity->rest, found->rest))
        return NEAR_STATIC;
    bool is_template = entity->rest.size && found->rest.size && *entity->rest.data == 'I' &&
                       *found->rest.data == 'I';
    return is_template ? NEAR_INSTANCE : NEAR_PARAMETERS;
}

/* Adds a near miss to the list, which keeps the MOST_MISSES nearest ones. Equally near misses
 * remain in the order in which they were found. */
static void add_miss(struct wanted *wanted, const struct miss *miss)
{
    uint32_t slot = wanted->misses_count;
    while (slot && wanted->misses[slot - 1].nearness > miss->nearness)
        slot--;
    if (slot == MOST_MISSES)
        return;
    if (wanted->misses_count < MOST_MISSES)
        wanted->misses_count++;
    memmove(&wanted->misses[slot + 1], &wanted->misses[slot],
            (wanted->misses_count - slot - 1) * sizeof *miss);
    wanted->misses[slot] = *miss;
}

/* Adds the definition to the near misses of the undefined symbols that have the same identifier. If
 * a definition differs in several ways, for example is static and has other parameters, only one
 * difference is recorded. */
static void compare_definition(struct near_misses *misses, const struct input_object *object,
                               const struct elf_symbol *symbol, const struct entity_name *found,
                               const struct identifier *identifier)
{
    uint32_t number = identifier->first;
    for (int i = 0; number && i < MOST_ALIKE; i++) {
        struct wanted *wanted = &misses->wanted[number - 1];
        enum nearness nearness = compare(wanted, found);
        bool is_function = symbol->type == STT_FUNC;
        if (is_function == wanted->is_function && strcmp(wanted->name, symbol->name) != 0 &&
            (nearness != NEAR_STATIC || found->is_internal))
            add_miss(wanted, &(struct miss){symbol->name, object, nearness});
        number = wanted->next;
    }
}

static bool is_named_definition(const struct elf_symbol *symbol)
{
    bool has_kind = symbol->type == STT_FUNC || elf_symbol_is_variable(symbol);
    return has_kind && symbol->section != SHN_UNDEF;
}

void near_misses_search(struct near_misses *misses)
{
    const link_context *link = misses->link;
    char folded[LONGEST_IDENTIFIER];
    struct entity_name found;
    for (size_t i = 0; misses->by_identifier.count && i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; s < object->elf.symbols[VIEW_NATIVE].count; s++) {
            struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, s);
            if (!is_named_definition(&symbol) || !entity_name_read(&found, symbol.name) ||
                !fold(found.identifier, folded))
                continue;
            const struct identifier *identifier = name_table_find_bytes(
                &misses->by_identifier, folded, (size_t)found.identifier.size);
            if (identifier)
                compare_definition(misses, object, &symbol, &found, identifier);
        }
    }
}

static void report_miss(link_context *link, const struct wanted *wanted, const struct miss *miss)
{
    static const enum diagnostic_name MESSAGES[] = {
        [NEAR_STATIC] = DIAGNOSTIC_NEAR_STATIC,         [NEAR_LINKAGE] = DIAGNOSTIC_NEAR_LINKAGE,
        [NEAR_PARAMETERS] = DIAGNOSTIC_NEAR_PARAMETERS, [NEAR_INSTANCE] = DIAGNOSTIC_NEAR_INSTANCE,
        [NEAR_SCOPE] = DIAGNOSTIC_NEAR_SCOPE,           [NEAR_CASE] = DIAGNOSTIC_NEAR_CASE,
    };
    const char *input = miss->object->name, *shown = shown_name(&link->arena, miss->name);
    if (miss->nearness == NEAR_LINKAGE)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NEAR_LINKAGE, input, miss->name, input,
                          shown, wanted->entity.is_mangled ? "C" : "C++",
                          wanted->entity.is_mangled ? "C++" : "C");
    else if (miss->nearness == NEAR_STATIC && !wanted->is_function)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NEAR_STATIC_VARIABLE, input, miss->name,
                          input, shown);
    else
        diagnostic_report(&link->diagnostics, MESSAGES[miss->nearness], input, miss->name, input,
                          shown);
}

/* Reports all definitions in the list that are as near as the nearest one, and no others. */
bool near_misses_report(const struct near_misses *misses, const struct symbol *symbol)
{
    uint32_t number = symbol_rare(symbol)->undefined_number;
    if (!number || number > misses->count)
        return false;
    const struct wanted *wanted = &misses->wanted[number - 1];
    for (uint32_t i = 0; i < wanted->misses_count; i++)
        if (wanted->misses[i].nearness == wanted->misses[0].nearness)
            report_miss(misses->link, wanted, &wanted->misses[i]);
    return wanted->misses_count != 0;
}
