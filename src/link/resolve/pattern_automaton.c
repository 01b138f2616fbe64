/* Matches a name with many patterns; see pattern_automaton.h.
 *
 * Stars divide a pattern into pieces. The key of a pattern is its piece that occurs in the fewest
 * patterns. So the key is not, for example, the prefix that all static kernels of a file share. A
 * pattern is tried only if the text contains its key. */
#include "link/resolve/pattern_automaton.h"

#include <string.h>

#include "base/name_table.h"
#include "link/notes/name_pattern.h"

/* A prefix of one or more keys. Node 0 is the empty prefix. */
struct node {
    uint32_t child;  /* first child, which has one more character; 0: none */
    uint32_t next;   /* the next child of this node's parent; 0: none */
    uint32_t suffix; /* the node of the longest proper suffix that is a node */
    uint32_t key;    /* the node of the longest proper suffix that is a key; 0: none */
    uint32_t first;  /* number of the first pattern with this key; 0: this is not a key */
    uint32_t text;   /* number of the last text in which this key was found */
    uint8_t character;
};

struct pattern {
    struct name name;
    uint32_t next; /* number of the next pattern with the same key; 0: none */
};

struct piece {
    struct name name;
    uint32_t uses; /* number of its occurrences in distinct patterns */
};

struct pattern_automaton {
    struct arena *arena;
    struct name_table patterns;
    GROWING_ARRAY(struct node, nodes);
    uint32_t texts;  /* number of texts searched so far */
    uint64_t effort; /* cost of the patterns tried so far, in units of about 1 ns */
};

/* Patterns in a damaged host object can have their pieces in common. Then each text that contains a
 * piece is compared with all of them. After this effort, each text counts as matched, so that no
 * kernel is removed that host code may call. Patterns of compilers need less than a millionth. */
static const uint64_t MOST_EFFORT = UINT64_C(1) << 31;
enum { EFFORT_OF_PATTERN = 32 }; /* in addition to the lengths of the pattern and of the text */

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

/* Returns the key of a pattern; an empty one if all pieces of the pattern are empty. */
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

/* Reads one more character of the text. The state is a node: the longest suffix of the text read so
 * far that is a prefix of a key. Returns the new state. */
static uint32_t read_character(const struct pattern_automaton *automaton, uint32_t node,
                               uint8_t character)
{
    uint32_t child = find_child(automaton, node, character);
    while (!child && node) {
        node = automaton->nodes[node].suffix;
        child = find_child(automaton, node, character);
    }
    return child;
}

static void link_node(struct pattern_automaton *automaton, uint32_t parent, uint32_t child)
{
    struct node *nodes = automaton->nodes;
    uint32_t suffix =
        parent ? read_character(automaton, nodes[parent].suffix, nodes[child].character) : 0;
    nodes[child].suffix = suffix;
    nodes[child].key = nodes[suffix].first && suffix ? suffix : nodes[suffix].key;
}

/* Sets `suffix` and `key` of all nodes. Visits shorter prefixes first, because the node of a suffix
 * is the node of a shorter prefix. */
static void link_nodes(struct pattern_automaton *automaton)
{
    uint32_t *queue = ARENA_ARRAY(automaton->arena, uint32_t, automaton->nodes_count);
    uint32_t size = 1; /* node 0 */
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t child = automaton->nodes[queue[i]].child; child;
             child = automaton->nodes[child].next) {
            link_node(automaton, queue[i], child);
            queue[size++] = child;
        }
}

/* Makes the automaton: counts the pieces of all distinct patterns, adds the key of each pattern,
 * and links the nodes. */
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
    link_nodes(automaton);
    return automaton;
}

/* --------------------------------------------------------------------------------------------- */

static bool any_matches(struct pattern_automaton *automaton, uint32_t number, struct bytes text)
{
    while (number) {
        const struct pattern *pattern = name_table_entry(&automaton->patterns, number);
        automaton->effort += EFFORT_OF_PATTERN + pattern->name.size + text.size;
        if (automaton->effort > MOST_EFFORT || name_pattern_matches(bytes_of(&pattern->name), text))
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
        for (; key && nodes[key].text != number;
             key = nodes[key].key) { /* shorter keys were tried, too */
            nodes[key].text = number;
            if (any_matches(automaton, nodes[key].first, text))
                return true;
        }
    }
    return false;
}
