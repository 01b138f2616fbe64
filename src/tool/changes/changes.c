/* Finds the changes of two programs; see changes.h. */
#include "tool/changes/changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "format/elf.h"
#include "format/elf_view.h"

struct change *changes_add(struct changes *changes, enum change_kind kind, const char *thing,
                           const char *name)
{
    struct change *change = ARENA_APPEND(changes->arena, changes, all);
    *change = (struct change){.kind = kind, .thing = thing, .name = name};
    return change;
}

static bool same_value(struct change_value old, struct change_value new)
{
    if (old.known != new.known)
        return false;
    if (old.text && new.text)
        return !strcmp(old.text, new.text);
    return old.number == new.number && !old.text == !new.text;
}

void change_number(struct changes *changes, struct change *change, const char *resource,
                   struct change_value old, struct change_value new)
{
    if (!same_value(old, new))
        *ARENA_APPEND(changes->arena, change, rows) = (struct change_row){resource, old, new};
}

void change_text(struct changes *changes, struct change *change, const char *resource,
                 const char *old, const char *new)
{
    struct change_value a = {.known = old, .text = old}, b = {.known = new, .text = new};
    change_number(changes, change, resource, a, b);
}

/* ---------------------------------------------------------------------------------------------- */
/* Pairs                                                                                          */

struct paired_name {
    struct name name;
    GROWING_ARRAY(uint32_t, waiting); /* indices of the old elements that have this name */
    uint32_t taken;                   /* number of elements of `waiting` that have a partner */
};

struct name_pairs name_pairs_make(uint32_t old_count, uint32_t new_count, struct arena *arena)
{
    struct name_pairs pairs = {.counts = {old_count, new_count}};
    for (int side = 0; side < 2; side++) {
        pairs.partners[side] = ARENA_ARRAY(arena, uint32_t, pairs.counts[side]);
        for (uint32_t i = 0; i < pairs.counts[side]; i++)
            pairs.partners[side][i] = UINT32_MAX;
    }
    return pairs;
}

void pair_names(struct name_pairs *pairs, const char *const *const names[2], struct arena *arena)
{
    struct name_table table;
    name_table_init(&table, arena, sizeof(struct paired_name));
    for (uint32_t i = 0; i < pairs->counts[0]; i++) {
        struct paired_name *name = name_table_intern(&table, names[0][i]);
        if (pairs->partners[0][i] == UINT32_MAX)
            *ARENA_APPEND(arena, name, waiting) = i;
    }
    for (uint32_t i = 0; i < pairs->counts[1]; i++) {
        struct paired_name *name = name_table_intern(&table, names[1][i]);
        if (pairs->partners[1][i] != UINT32_MAX || name->taken == name->waiting_count)
            continue;
        uint32_t partner = name->waiting[name->taken++];
        pairs->partners[1][i] = partner;
        pairs->partners[0][partner] = i;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* The program as a whole                                                                         */

static bool has_debug(const struct elf_view *view)
{
    for (uint32_t i = 1; i < view->section_count; i++)
        if (!strcmp(view->sections[i].name, ".debug_info"))
            return true;
    return false;
}

static bool has_lines(const struct elf_view *view)
{
    for (uint32_t i = 1; i < view->section_count; i++)
        if (!strcmp(view->sections[i].name, ".debug_line"))
            return true;
    return false;
}

static const char *debug_text(const struct elf_view *view)
{
    return has_debug(view) ? "full" : has_lines(view) ? "lines" : "no";
}

static const char *target_text(const struct elf_view *view, struct arena *arena)
{
    return arena_format(arena, "sm_%u", elf_view_sm(view));
}

/* Finds the changes of the whole program: target, debug information, and whether it is linked. */
void changes_of_program(struct changes *changes)
{
    const struct elf_view *old = &changes->old->subject->view, *new = &changes->new->subject->view;
    struct change *change = changes_add(changes, CHANGE_CHANGED, "program", "");
    change->importance = UINT32_MAX;
    change_text(changes, change, "target", target_text(old, changes->arena),
                target_text(new, changes->arena));
    change_text(changes, change, "linked", old->type == ET_EXEC ? "yes" : "no",
                new->type == ET_EXEC ? "yes" : "no");
    change_text(changes, change, "debug information", debug_text(old), debug_text(new));
    if (!change->rows_count)
        changes->all_count--;
}

/* ---------------------------------------------------------------------------------------------- */
/* All                                                                                            */

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->importance != y->importance)
        return x->importance > y->importance ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->name, y->name);
}

void changes_find(struct changes *changes, const struct program *old, const struct program *new,
                  struct arena *arena)
{
    *changes = (struct changes){.arena = arena, .old = old, .new = new};
    changes_of_program(changes);
    changes_of_functions(changes);
    changes_of_variables(changes);
    if (changes->all_count)
        qsort(changes->all, changes->all_count, sizeof *changes->all, compare_changes);
}

static const char *value_text(struct change_value value, struct arena *arena)
{
    if (value.text)
        return value.text;
    return value.known ? arena_format(arena, "%" PRIu64, value.number) : "-";
}

/* Returns the text of a row if only the old or only the new program has a value. */
static const char *lone_text(const struct change_row *row, struct arena *arena)
{
    bool is_new = row->new.known;
    return arena_format(arena, "%s%s %s", is_new ? "" : "no longer ", row->resource,
                        value_text(is_new ? row->new : row->old, arena));
}

const char *change_row_text(const struct change_row *row, enum change_kind kind,
                            struct arena *arena)
{
    if (kind != CHANGE_CHANGED)
        return arena_format(arena, "%s %s", row->resource,
                            value_text(kind == CHANGE_ADDED ? row->new : row->old, arena));
    if (!row->old.known || !row->new.known)
        return lone_text(row, arena);
    const char *old = value_text(row->old, arena), *new = value_text(row->new, arena);
    if (row->old.text || row->new.text)
        return arena_format(arena, "%s %s%s%s", row->resource, old, *old ? " -> " : "", new);
    bool grows = row->new.number > row->old.number;
    uint64_t size = grows ? row->new.number - row->old.number : row->old.number - row->new.number;
    return arena_format(arena, "%s %s -> %s (%s%" PRIu64 ")", row->resource, old, new,
                        grows ? "+" : "-", size);
}
