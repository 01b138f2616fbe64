/* Compares a name with many patterns at once; see name_pattern.h for a single pattern. */
#ifndef WARPLD_LINK_RESOLVE_NAME_PATTERNS_H
#define WARPLD_LINK_RESOLVE_NAME_PATTERNS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"

struct pattern_automaton;

/* Any number of patterns. Patterns with the same text before their first star form a group, whose
 * patterns are tried one by one. Usual patterns differ in that text, so groups are small. If the
 * patterns that were tried have cost more than an automaton of all patterns would, the automaton is
 * built and used from then on. */
struct name_patterns {
    struct arena *arena;
    GROWING_ARRAY(struct bytes, texts);
    /* For each pattern: the number, from 1, of the next pattern in its group; 0 for the last. */
    GROWING_ARRAY(uint32_t, next);
    struct name_table groups;            /* the groups, by their text before the first star */
    GROWING_ARRAY(bool, begins);         /* by length: some group has a text of this length */
    uint64_t size;                       /* length of all patterns, plus 1 for each */
    uint64_t effort;                     /* the cost of the patterns that were tried */
    struct pattern_automaton *automaton; /* NULL until effort exceeds its cost */
};

void name_patterns_init(struct name_patterns *patterns, struct arena *arena);

/* Adds a pattern. Its text must live as long as the patterns. */
void name_patterns_add(struct name_patterns *patterns, struct bytes text);

/* Adds a pattern that matches each name in which the text occurs. */
void name_patterns_add_part(struct name_patterns *patterns, const char *text);

/* Whether one of the patterns matches the name. */
bool name_patterns_have(struct name_patterns *patterns, const char *name);

#endif
