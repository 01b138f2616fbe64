/* A set of patterns matches the names that at least one of the patterns matches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "link/notes/name_pattern.h"
#include "link/resolve/name_patterns.h"
#include "link/resolve/pattern_automaton.h"

/* Texts consist of only two different characters. The literal parts of patterns therefore often
 * contain each other, overlap or are equal. */
enum { LONGEST = 12, MOST_PATTERNS = 30, SETS = 400, NAMES = 200 };

static struct arena arena;

static void fail_out_of_memory(void *owner)
{
    (void)owner;
    fail_msg("out of memory");
    abort();
}

/* Returns a random number below `limit`. Every run draws the same numbers. */
static uint32_t random_below(uint64_t *state, uint32_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % limit;
}

static char *random_text(uint64_t *state, const char *characters, uint32_t longest)
{
    char text[LONGEST];
    uint32_t size = random_below(state, longest + 1);
    for (uint32_t i = 0; i < size; i++)
        text[i] = characters[random_below(state, (uint32_t)strlen(characters))];
    return arena_copy_string(&arena, text, size);
}

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

/* Computes from the definition whether the pattern matches. After each character of the pattern,
 * is_reached[i] says whether the pattern up to this character matches the first i characters of the
 * text. */
static bool stands_for(const char *pattern, const char *text)
{
    size_t size = strlen(text);
    bool is_reached[LONGEST + 1] = {true};
    for (; *pattern; pattern++) {
        if (*pattern == '*')
            for (size_t i = 1; i <= size; i++)
                is_reached[i] |= is_reached[i - 1];
        else
            for (size_t i = size + 1; i-- > 0;)
                is_reached[i] = i && is_reached[i - 1] && text[i - 1] == *pattern;
    }
    return is_reached[size];
}

static void compare(struct name_patterns *patterns, struct pattern_automaton *automaton,
                    const char *name)
{
    bool any = false;
    for (uint32_t i = 0; i < patterns->texts_count; i++) {
        const char *pattern = (const char *)patterns->texts[i].data;
        bool matches = name_pattern_matches(patterns->texts[i], bytes_of(name));
        assert_int_equal(matches, stands_for(pattern, name));
        any |= matches;
    }
    assert_int_equal(name_patterns_have(patterns, name), any);
    assert_int_equal(pattern_automaton_matches(automaton, bytes_of(name)), any);
}

static void any_is_found_that_matches(void **unused)
{
    (void)unused;
    uint32_t automata = 0;
    for (uint64_t set = 0; set < SETS; set++) {
        uint64_t state = set;
        struct name_patterns patterns;
        arena_init(&arena, fail_out_of_memory, NULL);
        name_patterns_init(&patterns, &arena);
        for (uint32_t count = random_below(&state, MOST_PATTERNS); count-- > 0;) {
            const char *text = random_text(&state, set % 2 ? "aab*" : "abbbb*", LONGEST);
            if (set % 3)
                name_patterns_add(&patterns, bytes_of(text));
            else
                name_patterns_add_part(&patterns, text);
        }
        struct pattern_automaton *automaton =
            pattern_automaton_make(&arena, patterns.texts, patterns.texts_count);
        for (uint32_t i = 0; i < NAMES; i++)
            compare(&patterns, automaton, random_text(&state, set % 2 ? "aab" : "abb", LONGEST));
        automata += patterns.automaton != NULL;
        arena_destroy(&arena);
    }
    assert_in_range(automata, SETS / 2, SETS - 1); /* some sets have no automaton */
}

static void nothing_is_found_among_none(void **unused)
{
    (void)unused;
    struct name_patterns patterns;
    arena_init(&arena, fail_out_of_memory, NULL);
    name_patterns_init(&patterns, &arena);
    assert_false(name_patterns_have(&patterns, ""));
    assert_false(name_patterns_have(&patterns, "name"));
    name_patterns_add_part(&patterns, "");
    assert_true(name_patterns_have(&patterns, "name"));
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_is_found_that_matches),
        cmocka_unit_test(nothing_is_found_among_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
