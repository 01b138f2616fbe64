/* Finds which of many patterns may match a name, by one piece of each: an automaton finds all
 * pieces in the name in one pass (Aho and Corasick, 1975), however many patterns there are. */
#ifndef WARPLD_LINK_RESOLVE_PATTERN_AUTOMATON_H
#define WARPLD_LINK_RESOLVE_PATTERN_AUTOMATON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

struct pattern_automaton;

/* The patterns must live as long as the automaton. */
struct pattern_automaton *pattern_automaton_make(struct arena *arena, const struct bytes *patterns,
                                                 size_t count);

/* Whether any of the patterns matches. */
bool pattern_automaton_matches(struct pattern_automaton *automaton, struct bytes text);

#endif
