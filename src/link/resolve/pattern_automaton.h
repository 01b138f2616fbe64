/* Matches a name with many patterns. An automaton (Aho and Corasick, 1975) looks for one piece of
 * each pattern, and finds all of these pieces in one pass over the name. Only patterns whose piece
 * is found are tried. */
#ifndef WARPLD_LINK_RESOLVE_PATTERN_AUTOMATON_H
#define WARPLD_LINK_RESOLVE_PATTERN_AUTOMATON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

struct pattern_automaton;

/* The patterns must live as long as the automaton. */
struct pattern_automaton *pattern_automaton_make(struct arena *arena, const struct bytes *patterns,
                                                 size_t count);

/* Whether any of the patterns matches. Also returns true if the patterns are so damaged that the
 * search would take too long. */
bool pattern_automaton_matches(struct pattern_automaton *automaton, struct bytes text);

#endif
