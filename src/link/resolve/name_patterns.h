/* Many patterns of names at once; see name_pattern.h for one. */
#ifndef WARPLD_LINK_RESOLVE_NAME_PATTERNS_H
#define WARPLD_LINK_RESOLVE_NAME_PATTERNS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"

struct pattern_automaton;

/* Any number of patterns. They are asked of one by one, found by what stands before their first
 * star: of the usual ones, which differ in that, few. When that has taken longer than an automaton
 * of all of them takes to make, one is made. */
struct name_patterns {
    struct arena *arena;
    GROWING_ARRAY(struct bytes, texts);
    GROWING_ARRAY(uint32_t, next);       /* by pattern: number of one with the same beginning */
    struct name_table groups;            /* by the beginning */
    GROWING_ARRAY(bool, begins);         /* by length: some beginning has it */
    uint64_t size;                       /* of all */
    uint64_t effort;                     /* so far */
    struct pattern_automaton *automaton; /* or NULL */
};

void name_patterns_init(struct name_patterns *patterns, struct arena *arena);

/* The text must stay where it is. */
void name_patterns_add(struct name_patterns *patterns, struct bytes text);

/* One that stands somewhere in the name. */
void name_patterns_add_part(struct name_patterns *patterns, const char *text);

/* Whether any of them matches. */
bool name_patterns_have(struct name_patterns *patterns, const char *name);

#endif
