/* Finds what changed between two device programs, in terms of their source code: functions,
 * variables, and the resources that they need. The two sides of a comparison are the old and the
 * new program. */
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
    const char *resource; /* such as "registers" */
    struct change_value old, new;
};

enum change_kind { CHANGE_REMOVED, CHANGE_ADDED, CHANGE_CHANGED };

struct change {
    enum change_kind kind;
    const char *thing; /* "kernel", "function", "global variable", "program" */
    const char *name;
    uint32_t importance; /* sort key of the changes; the largest is first */
    GROWING_ARRAY(struct change_row, rows);
};

struct changes {
    struct arena *arena;
    const struct program *old, *new;
    GROWING_ARRAY(struct change, all);
};

/* Compares two programs. Requires: subject_label has been called for the subjects of both. */
void changes_find(struct changes *changes, const struct program *old, const struct program *new,
                  struct arena *arena);

/* Parts of changes_find, in different files. Each part appends changes. */
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

/* The attributes of one function, as compare_attributes compares them. attribute_values_read
 * returns an array for the defined functions, indexed like program->functions. */
struct attribute_values;
struct attribute_values *attribute_values_read(const struct program *program, struct arena *arena);
/* Compares the attributes of two functions, and adds a row for each attribute that differs. The
 * indices are those of the functions in the arrays. */
void compare_attributes(struct changes *changes, struct change *change,
                        const struct attribute_values *old, uint32_t old_index,
                        const struct attribute_values *new, uint32_t new_index);

/* Returns the text of a row: "registers 24 -> 36 (+12)", or "registers 24" if the function or
 * variable was added or removed. */
const char *change_row_text(const struct change_row *row, enum change_kind kind,
                            struct arena *arena);

/* Pairs of an old and a new element (two functions or two variables) with the same name. The two
 * elements of a pair are partners. Index 0 is the old side, 1 the new side. */
struct name_pairs {
    uint32_t counts[2];
    uint32_t *partners[2]; /* for each element: index of its partner; UINT32_MAX: none */
};

/* Returns pairs in which no element has a partner yet. */
struct name_pairs name_pairs_make(uint32_t old_count, uint32_t new_count, struct arena *arena);

/* Pairs elements of the same name, if they have no partner yet. If several elements have this name,
 * the first old one is paired with the first new one, the second with the second, and so on. */
void pair_names(struct name_pairs *pairs, const char *const *const names[2], struct arena *arena);

/* One limit of --fail-if: a resource, and the smallest growth with which the command fails. */
struct growth_limit {
    const char *resource;
    uint64_t amount;
    bool is_percent; /* `amount` is in percent of the old value */
};

struct growth_limits {
    GROWING_ARRAY(struct growth_limit, all);
};

/* Reads limits such as "registers+8,code+10%,shared+1K". Returns false if the text does not have
 * this form. */
bool growth_limits_parse(struct growth_limits *limits, const char *text, struct arena *arena);

/* Whether the value of the row grew by at least the limit for its resource. A function or resource
 * that only the new side has grew from 0. */
bool growth_is_exceeded(const struct growth_limits *limits, const struct change_row *row);

#endif
