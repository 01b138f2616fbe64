/* What changed between two device programs, as seen from their source code: functions, variables
 * and what they need. The two sides of a comparison are the old and the new program. */
#ifndef WARPLD_TOOL_CHANGES_CHANGES_H
#define WARPLD_TOOL_CHANGES_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "tool/decode/subject.h"
#include "tool/program/program.h"

/* The value of a resource on one side: a number or a text. */
struct change_value {
    bool known; /* false if the side lacks the resource */
    uint64_t number;
    const char *text; /* the value if it is a text; NULL if it is a number */
};

/* One resource of the thing that changed, on both sides. */
struct change_row {
    const char *resource; /* "registers" */
    struct change_value old, new;
};

enum change_kind { CHANGE_REMOVED, CHANGE_ADDED, CHANGE_CHANGED };

struct change {
    enum change_kind kind;
    const char *thing; /* "kernel", "function", "global variable", "program" */
    const char *name;
    uint32_t importance; /* changes are sorted by it, the largest first */
    GROWING_ARRAY(struct change_row, rows);
};

struct changes {
    struct arena *arena;
    const struct program *old, *new;
    GROWING_ARRAY(struct change, all);
};

/* Compares two programs. Requires: subject_label has been called for the subject of each. */
void changes_find(struct changes *changes, const struct program *old, const struct program *new,
                  struct arena *arena);

/* Parts of changes_find, in three files: each appends changes. */
void changes_of_program(struct changes *changes);
void changes_of_functions(struct changes *changes);
void changes_of_variables(struct changes *changes);

struct change *changes_add(struct changes *changes, enum change_kind kind, const char *thing,
                           const char *name);
/* Adds a row if the values differ. */
void change_number(struct changes *changes, struct change *change, const char *resource,
                   struct change_value old, struct change_value new);
void change_text(struct changes *changes, struct change *change, const char *resource,
                 const char *old, const char *new);

static inline struct change_value change_of(uint64_t number)
{
    return (struct change_value){.known = true, .number = number};
}

static inline struct change_value change_of_amount(struct amount amount)
{
    return (struct change_value){.known = amount.known, .number = amount.value};
}

/* The attributes of one function that compare_attributes compares. attribute_values_read returns an
 * array with an element for each function that the program defines, by the function's index. */
struct attribute_values;
struct attribute_values *attribute_values_read(const struct program *program, struct arena *arena);
/* Adds rows for two functions, by their indices. */
void compare_attributes(struct changes *changes, struct change *change,
                        const struct attribute_values *old, uint32_t old_index,
                        const struct attribute_values *new, uint32_t new_index);

/* The text of a row: "registers 24 -> 36 (+12)", or "registers 24" for a thing that one side lacks.
 */
const char *change_row_text(const struct change_row *row, enum change_kind kind,
                            struct arena *arena);

/* Pairs of elements of the two sides (functions or variables) that have the same name. The partner
 * of an element is the other element of its pair. */
struct name_pairs {
    uint32_t counts[2];
    uint32_t *partners[2]; /* for each element: index of its partner; UINT32_MAX if it has none */
};

/* Returns pairs in which no element has a partner yet. */
struct name_pairs name_pairs_make(uint32_t old_count, uint32_t new_count, struct arena *arena);

/* Pairs the elements that have no partner yet by name. If several elements have a name, the first
 * of one side is paired with the first of the other side, the second with the second, and so on. */
void pair_names(struct name_pairs *pairs, const char *const *const names[2], struct arena *arena);

/* A limit on growth, as --fail-if gives it. */
struct growth_limit {
    const char *resource;
    uint64_t amount;
    bool is_percent;
};

struct growth_limits {
    GROWING_ARRAY(struct growth_limit, all);
};

/* Reads "registers+8,code+10%,shared+1K". Returns false if the text does not have this form. */
bool growth_limits_parse(struct growth_limits *limits, const char *text, struct arena *arena);

/* Whether the row grew by as much as a limit for its resource, or by more. A new function or
 * resource grows from 0. */
bool growth_is_exceeded(const struct growth_limits *limits, const struct change_row *row);

#endif
