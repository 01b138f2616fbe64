/* Patterns of names; see name_patterns.h. */
#define _GNU_SOURCE /* memmem, memrchr */
#include "link/resolve/name_patterns.h"

#include "link/resolve/pattern_automaton.h"

bool name_pattern_next_piece(struct bytes *rest, struct bytes *piece)
{
    if (!rest->data)
        return false;
    const uint8_t *star = rest->size ? memchr(rest->data, '*', (size_t)rest->size) : NULL;
    *piece = *rest;
    if (star)
        piece->size = (uint64_t)(star - rest->data);
    *rest = star ? (struct bytes){star + 1, rest->size - piece->size - 1} : (struct bytes){NULL, 0};
    return true;
}

/* The leftmost place for each piece is always good enough. */
static bool pieces_are_in(struct bytes pieces, struct bytes text)
{
    struct bytes piece;
    while (name_pattern_next_piece(&pieces, &piece)) {
        if (!piece.size)
            continue;
        const uint8_t *found = memmem(text.data, (size_t)text.size, piece.data, (size_t)piece.size);
        if (!found)
            return false;
        uint64_t skipped = (uint64_t)(found - text.data) + piece.size;
        text = (struct bytes){text.data + skipped, text.size - skipped};
    }
    return true;
}

/* So most that do not match are told from others without a look at all of them. */
static bool ends_differ(struct bytes pattern, struct bytes text)
{
    if (!pattern.size || pattern.data[pattern.size - 1] == '*')
        return false;
    return !text.size || pattern.data[pattern.size - 1] != text.data[text.size - 1];
}

bool name_pattern_matches(struct bytes pattern, struct bytes text)
{
    if (ends_differ(pattern, text))
        return false;
    const uint8_t *star = pattern.size ? memchr(pattern.data, '*', (size_t)pattern.size) : NULL;
    if (!star)
        return pattern.size == text.size && !memcmp(pattern.data, text.data, (size_t)text.size);
    const uint8_t *last = memrchr(star, '*', (size_t)(pattern.data + pattern.size - star));
    size_t before = (size_t)(star - pattern.data);
    size_t behind = (size_t)(pattern.data + pattern.size - last) - 1;
    if (before + behind > text.size || memcmp(pattern.data, text.data, before) ||
        memcmp(last + 1, text.data + text.size - behind, behind))
        return false;
    struct bytes middle = {star + 1, last > star ? (uint64_t)(last - star) - 1 : 0};
    return pieces_are_in(middle, (struct bytes){text.data + before, text.size - before - behind});
}

/* --------------------------------------------------------------------------------------------- */
/* Many patterns                                                                                 */

/* Patterns with the same beginning. */
struct group {
    struct name beginning;
    uint32_t first; /* by number, from 1 */
};

/* What a look at a group, or at a pattern, costs beside reading the name; the first is read eight
 * bytes at once. An automaton costs so much for each byte of the patterns (measured: 20 to 60 ns
 * for a byte, and about 1 ns for a unit of effort). */
enum { EFFORT_OF_LOOK = 32, EFFORT_OF_AUTOMATON = 32 };

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
        patterns->effort += EFFORT_OF_LOOK + text.size;
        if (name_pattern_matches(patterns->texts[number - 1], text))
            return true;
    }
    return false;
}

/* False also when that is too much. */
static bool any_group_has(struct name_patterns *patterns, struct bytes text)
{
    uint64_t length = text.size < patterns->begins_count ? text.size + 1 : patterns->begins_count;
    while (length-- > 0 && !is_too_much(patterns)) {
        if (!patterns->begins[length])
            continue;
        patterns->effort += EFFORT_OF_LOOK + length / 8;
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
