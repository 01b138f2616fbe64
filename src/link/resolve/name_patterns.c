/* Patterns of names; see name_patterns.h. */
#include "link/resolve/name_patterns.h"

#include <string.h>

#include "base/arena.h"
#include "link/notes/name_pattern.h"
#include "link/resolve/pattern_automaton.h"

/* Patterns with the same text before the first star. */
struct group {
    struct name prefix;
    /* Number, from 1, of the pattern that was added last; the array `next` leads to the others. */
    uint32_t first;
};

/* Costs, in units of about 1 ns. EFFORT_OF_LOOKUP is the cost of looking up a group or a pattern.
 * Comparing a name with a group's text adds 1 for every eight bytes of the text. Comparing a name
 * with a pattern adds 1 for each byte of the name. EFFORT_OF_AUTOMATON is the cost of building an
 * automaton, for each byte of the patterns (measured: 20 to 60 ns). */
enum { EFFORT_OF_LOOKUP = 32, EFFORT_OF_AUTOMATON = 32 };

void name_patterns_init(struct name_patterns *patterns, struct arena *arena)
{
    *patterns = (struct name_patterns){.arena = arena};
    name_table_init(&patterns->groups, arena, sizeof(struct group));
}

void name_patterns_add(struct name_patterns *patterns, struct bytes text)
{
    const uint8_t *star = text.size ? memchr(text.data, '*', (size_t)text.size) : NULL;
    size_t size = star ? (size_t)(star - text.data) : (size_t)text.size;
    struct group *group = name_table_intern_bytes(&patterns->groups, (const char *)text.data, size);
    *ARENA_APPEND(patterns->arena, patterns, texts) = text;
    *ARENA_APPEND(patterns->arena, patterns, next) = group->first;
    group->first = patterns->texts_count;
    while (patterns->begins_count <= size)
        (void)ARENA_APPEND(patterns->arena, patterns, begins);
    patterns->begins[size] = true;
    patterns->size += text.size + 1;
}

void name_patterns_add_part(struct name_patterns *patterns, const char *text)
{
    const char *pattern = arena_format(patterns->arena, "*%s*", text);
    name_patterns_add(patterns, (struct bytes){(const uint8_t *)pattern, strlen(pattern)});
}

static bool is_too_much(const struct name_patterns *patterns)
{
    return patterns->effort / EFFORT_OF_AUTOMATON > patterns->size;
}

static bool group_has(struct name_patterns *patterns, const struct group *group, struct bytes text)
{
    for (uint32_t number = group->first; number && !is_too_much(patterns);
         number = patterns->next[number - 1]) {
        patterns->effort += EFFORT_OF_LOOKUP + text.size;
        if (name_pattern_matches(patterns->texts[number - 1], text))
            return true;
    }
    return false;
}

/* Whether a pattern of some group matches. Stops and returns false when the patterns that were
 * tried have cost more than an automaton; the caller then makes one. */
static bool any_group_has(struct name_patterns *patterns, struct bytes text)
{
    uint64_t length = text.size < patterns->begins_count ? text.size + 1 : patterns->begins_count;
    while (length-- > 0 && !is_too_much(patterns)) {
        if (!patterns->begins[length])
            continue;
        patterns->effort += EFFORT_OF_LOOKUP + length / 8;
        const struct group *group =
            name_table_find_bytes(&patterns->groups, (const char *)text.data, (size_t)length);
        if (group && group_has(patterns, group, text))
            return true;
    }
    return false;
}

bool name_patterns_have(struct name_patterns *patterns, const char *name)
{
    struct bytes text = {(const uint8_t *)name, strlen(name)};
    if (!patterns->automaton && any_group_has(patterns, text))
        return true;
    if (!patterns->automaton && is_too_much(patterns))
        patterns->automaton =
            pattern_automaton_make(patterns->arena, patterns->texts, patterns->texts_count);
    return patterns->automaton && pattern_automaton_matches(patterns->automaton, text);
}
