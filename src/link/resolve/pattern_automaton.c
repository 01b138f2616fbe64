/* Many patterns at once; see pattern_automaton.h.
 *
 * A pattern is tried where its key stands in the text: of its pieces the one that fewest patterns
 * have, so that a beginning that all static kernels of a file share is no key. */
#include "link/resolve/pattern_automaton.h"

#include <string.h>

#include "base/name_table.h"
#include "link/resolve/name_pattern.h"

/* The end of the beginning of some key. Node 0 is the empty one. */
struct node {
    uint32_t child; /* of one character more; 0: none */
    uint32_t next;  /* child of the same parent */
    uint32_t rest;  /* the node of the longest end of this one */
    uint32_t key;   /* the longest end of this one that is a key; 0: none */
    uint32_t first; /* of the patterns with this key, by number; 0: it is none */
    uint32_t text;  /* number of the last text it was found in */
    uint8_t character;
};

struct pattern {
    struct name name;
    uint32_t next; /* with the same key */
};

struct piece {
    struct name name;
    uint32_t uses;
};

struct pattern_automaton {
    struct arena *arena;
    struct name_table patterns;
    GROWING_ARRAY(struct node, nodes);
    uint32_t texts;
};

static struct bytes bytes_of(const struct name *name)
{
    return (struct bytes){(const uint8_t *)name->text, name->size};
}

/* --------------------------------------------------------------------------------------------- */
/* Keys                                                                                          */

static struct piece *intern_piece(struct name_table *pieces, struct bytes text)
{
    return name_table_intern_bytes(pieces, (const char *)text.data, (size_t)text.size);
}

static void count_pieces(struct name_table *pieces, struct bytes pattern)
{
    struct bytes piece;
    while (name_pattern_next_piece(&pattern, &piece))
        if (piece.size)
            intern_piece(pieces, piece)->uses++;
}

/* Empty when nothing stands between the stars. */
static struct bytes choose_key(struct name_table *pieces, struct bytes pattern)
{
    struct bytes key = {pattern.data, 0}, piece;
    uint32_t fewest = UINT32_MAX;
    while (name_pattern_next_piece(&pattern, &piece)) {
        uint32_t uses = piece.size ? intern_piece(pieces, piece)->uses : UINT32_MAX;
        if (uses < fewest || (uses == fewest && piece.size > key.size)) {
            key = piece;
            fewest = uses;
        }
    }
    return key;
}

/* --------------------------------------------------------------------------------------------- */
/* Nodes                                                                                         */

static uint32_t find_child(const struct pattern_automaton *automaton, uint32_t node,
                           uint8_t character)
{
    uint32_t child = automaton->nodes[node].child;
    while (child && automaton->nodes[child].character != character)
        child = automaton->nodes[child].next;
    return child;
}

static uint32_t add_child(struct pattern_automaton *automaton, uint32_t node, uint8_t character)
{
    uint32_t child = automaton->nodes_count;
    ARENA_APPEND(automaton->arena, automaton, nodes)->character = character;
    automaton->nodes[child].next = automaton->nodes[node].child;
    automaton->nodes[node].child = child;
    return child;
}

static void add_key(struct pattern_automaton *automaton, struct bytes key, uint32_t number)
{
    uint32_t node = 0;
    for (uint64_t i = 0; i < key.size; i++) {
        uint32_t child = find_child(automaton, node, key.data[i]);
        node = child ? child : add_child(automaton, node, key.data[i]);
    }
    struct pattern *pattern = name_table_entry(&automaton->patterns, number);
    pattern->next = automaton->nodes[node].first;
    automaton->nodes[node].first = number;
}

/* The node of the longest end of what was read that begins a key. */
static uint32_t read_character(const struct pattern_automaton *automaton, uint32_t node,
                               uint8_t character)
{
    uint32_t child = find_child(automaton, node, character);
    while (!child && node) {
        node = automaton->nodes[node].rest;
        child = find_child(automaton, node, character);
    }
    return child;
}

static void join_child(struct pattern_automaton *automaton, uint32_t parent, uint32_t child)
{
    struct node *nodes = automaton->nodes;
    uint32_t rest =
        parent ? read_character(automaton, nodes[parent].rest, nodes[child].character) : 0;
    nodes[child].rest = rest;
    nodes[child].key = nodes[rest].first && rest ? rest : nodes[rest].key;
}

/* The shorter ones first. */
static void join_nodes(struct pattern_automaton *automaton)
{
    uint32_t *queue = ARENA_ARRAY(automaton->arena, uint32_t, automaton->nodes_count);
    uint32_t size = 1; /* node 0 */
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t child = automaton->nodes[queue[i]].child; child;
             child = automaton->nodes[child].next) {
            join_child(automaton, queue[i], child);
            queue[size++] = child;
        }
}

struct pattern_automaton *pattern_automaton_make(struct arena *arena, const struct bytes *patterns,
                                                 size_t count)
{
    struct pattern_automaton *automaton = ARENA_NEW(arena, struct pattern_automaton);
    struct name_table pieces;
    automaton->arena = arena;
    name_table_init(&automaton->patterns, arena, sizeof(struct pattern));
    name_table_init(&pieces, arena, sizeof(struct piece));
    (void)ARENA_APPEND(arena, automaton, nodes);
    for (size_t i = 0; i < count; i++) {
        uint32_t known = automaton->patterns.count;
        name_table_intern_bytes(&automaton->patterns, (const char *)patterns[i].data,
                                (size_t)patterns[i].size);
        if (automaton->patterns.count > known)
            count_pieces(&pieces, patterns[i]);
    }
    for (uint32_t number = 1; number <= automaton->patterns.count; number++) {
        const struct pattern *pattern = name_table_entry(&automaton->patterns, number);
        add_key(automaton, choose_key(&pieces, bytes_of(&pattern->name)), number);
    }
    join_nodes(automaton);
    return automaton;
}

/* --------------------------------------------------------------------------------------------- */

static bool any_matches(const struct pattern_automaton *automaton, uint32_t number,
                        struct bytes text)
{
    while (number) {
        const struct pattern *pattern = name_table_entry(&automaton->patterns, number);
        if (name_pattern_matches(bytes_of(&pattern->name), text))
            return true;
        number = pattern->next;
    }
    return false;
}

bool pattern_automaton_matches(struct pattern_automaton *automaton, struct bytes text)
{
    struct node *nodes = automaton->nodes;
    uint32_t number = ++automaton->texts, node = 0;
    if (any_matches(automaton, nodes[0].first, text))
        return true;
    for (uint64_t i = 0; i < text.size; i++) {
        node = read_character(automaton, node, text.data[i]);
        uint32_t key = nodes[node].first && node ? node : nodes[node].key;
        for (; key && nodes[key].text != number; key = nodes[key].key) { /* the others were tried */
            nodes[key].text = number;
            if (any_matches(automaton, nodes[key].first, text))
                return true;
        }
    }
    return false;
}
