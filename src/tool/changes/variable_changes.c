/* Finds the variables that were added, removed or changed; see changes.h. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "readable_name/readable_name.h"
#include "tool/changes/changes.h"
#include "tool/decode/readable_label.h"
#include "tool/decode/subject.h"
#include "tool/program/program.h"

enum { IMPORTANCE_PRESENCE = 400, IMPORTANCE_SIZE = 50 };

struct variable {
    const char *thing; /* "global variable" */
    uint64_t size;
    struct bytes contents; /* initial value; empty if the file has no bytes for the variable */
};

struct variables {
    GROWING_ARRAY(struct variable, all);
    GROWING_ARRAY(const char *, names);
};

/* Returns which kind of variable a symbol is, such as "global variable"; NULL: no variable. */
static const char *thing_of(const struct elf_view *view, const struct elf_symbol *symbol)
{
    bool is_variable = symbol->type == STT_OBJECT || symbol->type >= STT_CUDA_TEXTURE;
    if (!is_variable || symbol->section == SHN_UNDEF || symbol->section >= view->section_count)
        return NULL;
    const char *section = view->sections[symbol->section].name;
    if (symbol->type >= STT_CUDA_TEXTURE && symbol->type <= STT_CUDA_SURFACE)
        return "texture or surface";
    if (section_name_constant_bank(section) >= 0)
        return "constant variable";
    if ((symbol->other & STO_CUDA_SPACE) == STO_CUDA_SHARED || strstr(section, "shared"))
        return "shared variable";
    return "global variable";
}

static struct bytes contents_of(const struct elf_view *view, const struct elf_symbol *symbol)
{
    struct bytes bytes = section_bytes(&view->sections[symbol->section]);
    if (!bytes.size || !bytes_contain(bytes, symbol->value, symbol->size))
        return (struct bytes){0};
    return (struct bytes){bytes.data + symbol->value, symbol->size};
}

static struct variables collect(const struct program *program, struct arena *arena)
{
    const struct elf_view *view = &program->subject->view;
    struct readable_names names = {.arena = arena};
    struct variables variables = {.all = NULL};
    for (uint32_t i = 1; i < view->symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, i);
        const char *thing = thing_of(view, &symbol);
        if (!thing)
            continue;
        *ARENA_APPEND(arena, &variables, all) =
            (struct variable){thing, symbol.size, contents_of(view, &symbol)};
        *ARENA_APPEND(arena, &variables, names) = readable_label(&names, symbol.name);
    }
    return variables;
}

/* Returns a text such as "3 of 16 bytes changed, the first at 4". The 4 is an offset. */
static const char *contents_text(struct bytes old, struct bytes new, struct arena *arena)
{
    uint64_t count = 0, first = old.size;
    for (uint64_t i = old.size; i-- > 0;) {
        if (old.data[i] != new.data[i]) {
            count++;
            first = i;
        }
    }
    return arena_format(arena, "%" PRIu64 " of %" PRIu64 " bytes changed, the first at %" PRIu64,
                        count, old.size, first);
}

static void compare_variables(struct changes *changes, const char *name, const struct variable *old,
                              const struct variable *new)
{
    struct change *change = changes_add(changes, CHANGE_CHANGED, new->thing, name);
    struct bytes a = old->contents, b = new->contents;
    change->importance = IMPORTANCE_SIZE;
    change_text(changes, change, "space", old->thing, new->thing);
    change_number(changes, change, "size", change_of(old->size), change_of(new->size));
    if (a.size == b.size && a.size && memcmp(a.data, b.data, a.size) != 0)
        change_text(changes, change, "contents", "", contents_text(a, b, changes->arena));
    else if (!a.size != !b.size && old->size == new->size)
        change_text(changes, change, "contents", a.size ? "initialised" : "zeros",
                    b.size ? "initialised" : "zeros");
    if (!change->rows_count)
        changes->all_count--;
}

static void report_lone_variable(struct changes *changes, enum change_kind kind, const char *name,
                                 const struct variable *variable)
{
    struct change *change = changes_add(changes, kind, variable->thing, name);
    struct change_value size = change_of(variable->size), none = {.known = false};
    change->importance = IMPORTANCE_PRESENCE;
    change_number(changes, change, "size", kind == CHANGE_REMOVED ? size : none,
                  kind == CHANGE_REMOVED ? none : size);
}

void changes_of_variables(struct changes *changes)
{
    struct variables old = collect(changes->old, changes->arena);
    struct variables new = collect(changes->new, changes->arena);
    const char *const *const names[2] = {old.names, new.names};
    struct name_pairs pairs = name_pairs_make(old.all_count, new.all_count, changes->arena);
    pair_names(&pairs, names, changes->arena);
    for (uint32_t i = 0; i < old.all_count; i++) {
        uint32_t partner = pairs.partners[0][i];
        if (partner >= new.all_count)
            report_lone_variable(changes, CHANGE_REMOVED, old.names[i], &old.all[i]);
        else
            compare_variables(changes, old.names[i], &old.all[i], &new.all[partner]);
    }
    for (uint32_t i = 0; i < new.all_count; i++)
        if (pairs.partners[1][i] == UINT32_MAX)
            report_lone_variable(changes, CHANGE_ADDED, new.names[i], &new.all[i]);
}
