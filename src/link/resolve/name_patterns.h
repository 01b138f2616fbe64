/* Many patterns of names at once; see name_pattern.h for one. */
#ifndef WARPLD_LINK_RESOLVE_NAME_PATTERNS_H
#define WARPLD_LINK_RESOLVE_NAME_PATTERNS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"

struct pattern_automaton;

/* Any number of patterns. Patterns are grouped by the text before their first star, and those of a
 * group are tried one by one. Usual patterns differ in that text, so groups are small. When the
 * patterns tried so far have cost more than an automaton of all patterns would, the automaton is
 * built and used from then on. */
struct name_patterns {
    struct arena *arena;
    GROWING_ARRAY(struct bytes, texts);
    GROWING_ARRAY(uint32_t, next);       /* by pattern: number of the next in its group */
    struct name_table groups;            /* by the text before the first star */
    GROWING_ARRAY(bool, begins);         /* by length: some text before a star has this length */
    uint64_t size;                       /* of all patterns */
    uint64_t effort;                     /* spent so far */
    struct pattern_automaton *automaton; /* or NULL */
};

void name_patterns_init(struct name_patterns *patterns, struct arena *arena);

/* The text must live as long as the patterns. */
void name_patterns_add(struct name_patterns *patterns, struct bytes text);

/* Adds a pattern that matches names with this text anywhere in them. */
void name_patterns_add_part(struct name_patterns *patterns, const char *text);

/* Whether any of them matches. */
bool name_patterns_have(struct name_patterns *patterns, const char *name);

#endif
