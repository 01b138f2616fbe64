/* Matches the sections of two files, and labels them alike; see diff.h.
 *
 * Sections are matched by name. Only static functions of several translation units have sections
 * with equal names. Their code is matched by content. The sections that belong to a function
 * (attributes, relocations, constants) are matched if their code is matched. All other
 * sections of equal names are matched in the order of the files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "tool/decode/decode.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/name_table.h"
#include "tool/diff/diff.h"

struct section_name {
    struct name name;
    uint32_t id;
    uint32_t uses[SIDE_COUNT];
    uint32_t numbered; /* number of labels "name#1", "name#2" ... assigned */
};

/* The state of one file during matching. The arrays are indexed by section. */
struct side {
    const struct elf_view *view;
    struct section_name **names;
    uint32_t *roots;      /* see root_of; a section without an owner is its own root */
    uint64_t *signatures; /* hash of a root with an ambiguous name and of its sections; else 0 */
};

struct match {
    struct diff *diff;
    struct arena arena;
    struct name_table names;
    struct side sides[SIDE_COUNT];
    bool ambiguous; /* some name is ambiguous: several sections of one file have it */
};

static bool is_ambiguous(const struct section_name *name)
{
    return name->uses[SIDE_A] > 1 || name->uses[SIDE_B] > 1;
}

/* ---------------------------------------------------------------------------------------------- */
/* Names and owners                                                                               */

/* Returns the root of a section: the last section of its chain of owners (section_owner). The
 * longest chain has three steps: from the relocations of a function's Mercury constants to these
 * constants, to the Mercury code, and to the native code. The number of steps is limited, because
 * the chain can be a circle in a damaged file. */
static uint32_t root_of(const struct elf_view *view, uint32_t index)
{
    enum { STEPS = 4 };
    for (int step = 0; step < STEPS; step++) {
        uint32_t owner = section_owner(view, &view->sections[index]);
        if (!owner)
            break;
        index = owner;
    }
    return index;
}

static void prepare_side(struct match *match, int which)
{
    const struct elf_view *view = &match->diff->sides[which].view;
    struct side *side = &match->sides[which];
    side->view = view;
    side->names = ARENA_ARRAY(&match->arena, struct section_name *, view->section_count);
    side->roots = ARENA_ARRAY(&match->arena, uint32_t, view->section_count);
    side->signatures = ARENA_ARRAY(&match->arena, uint64_t, view->section_count);
    uint32_t *partners = ARENA_ARRAY(&match->diff->arena, uint32_t, view->section_count);
    match->diff->partners[which] = partners;
    for (uint32_t i = 0; i < view->section_count; i++) {
        struct section_name *name = name_table_intern(&match->names, view->sections[i].name);
        if (!name->id)
            name->id = (uint32_t)match->names.count;
        if (++name->uses[which] > 1)
            match->ambiguous = true;
        side->names[i] = name;
        side->roots[i] = root_of(view, i);
        partners[i] = NO_PARTNER;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Contents of functions with equal names                                                         */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint8_t bytes[16];
    store_u64(bytes, a);
    store_u64(bytes + 8, b);
    return XXH3_64bits(bytes, sizeof bytes);
}

/* Returns a hash of the section's contents, in which symbols and sections are represented by their
 * labels. Requires: symbols and sections that correspond already have equal labels in both files.
 */
static uint64_t section_signature(const struct subject *subject, const struct elf_section *section)
{
    struct arena arena;
    tool_arena_init(&arena);
    struct listing listing;
    listing_init(&listing, &arena, LAYOUT_LINES);
    decode_section(subject, section, DETAIL_MEANING, &listing);
    struct bytes bytes = undecoded_bytes(section);
    uint64_t hash = mix(section->size, XXH3_64bits(bytes.data, bytes.data ? bytes.size : 0));
    uint64_t sum = 0; /* sum of the hashes of the rows; it does not depend on their order */
    for (size_t i = 0; i < listing.rows_count; i++)
        sum += row_hash(&listing, &listing.rows[i], listing.rows[i].fact_count);
    arena_destroy(&arena);
    return mix(mix(hash, sum), XXH3_64bits(section->name, strlen(section->name)));
}

static void sign_roots(const struct match *match, int which, uint64_t *signatures)
{
    const struct side *side = &match->sides[which];
    for (uint32_t i = 1; i < side->view->section_count; i++) {
        uint32_t root = side->roots[i];
        if (is_ambiguous(side->names[root]))
            signatures[root] +=
                section_signature(&match->diff->sides[which], &side->view->sections[i]);
    }
}

/* Labels each symbol with its name. If the root of its section has a signature, the label ends with
 * this signature. */
static void label_provisionally(const struct match *match, int which)
{
    struct subject *subject = &match->diff->sides[which];
    const struct side *side = &match->sides[which];
    const struct elf_view *view = side->view;
    for (int v = 0; v < VIEW_COUNT; v++) {
        const char **labels = subject->labels.symbols[v];
        for (uint32_t i = 0; i < view->symbols[v].count; i++) {
            struct elf_symbol symbol = elf_view_symbol(view, v, i);
            uint32_t root = symbol.section < view->section_count ? side->roots[symbol.section] : 0;
            labels[i] = symbol.name;
            if (side->signatures[root])
                labels[i] = arena_format(&subject->arena, "%s#%" PRIx64, symbol.name,
                                         side->signatures[root]);
        }
    }
}

/* Computes the signatures of the roots with ambiguous names, in two rounds. Two functions with the
 * same name and the same code can call different functions, whose names are also the same. The
 * second round distinguishes such functions by the signatures of their callees. */
static void sign_ambiguous(struct match *match)
{
    enum { ROUNDS = 2 };
    for (int round = 0; round < ROUNDS; round++) {
        for (int which = 0; which < SIDE_COUNT; which++) {
            struct side *side = &match->sides[which];
            label_provisionally(match, which);
            uint64_t *signatures = ARENA_ARRAY(&match->arena, uint64_t, side->view->section_count);
            sign_roots(match, which, signatures);
            side->signatures = signatures;
        }
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Matching                                                                                       */

/* A section that has no partner yet. */
struct candidate {
    uint32_t name; /* `id` of struct section_name */
    uint32_t index;
    uint64_t key; /* see candidate_key; 0 if only the name decides */
};

struct candidates {
    struct candidate *items;
    size_t count;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Returns the key of a section. With BY_NAME_AND_KEY, sections match if their names and keys are
 * equal. The key of a root is its signature. The key of any other section identifies its root: in
 * file A it is the root's index, in file B the index of the root's partner in A. */
static uint64_t candidate_key(const struct match *match, int which, uint32_t index)
{
    const struct side *side = &match->sides[which];
    uint32_t root = side->roots[index];
    if (root == index)
        return side->signatures[index];
    if (which == SIDE_A)
        return root;
    uint32_t partner = match->diff->partners[SIDE_B][root];
    return partner == NO_PARTNER ? UINT64_MAX : partner;
}

enum key_use { BY_NAME_AND_KEY, BY_NAME };

/* Returns a sorted list of the sections that have no partner yet: only roots if `roots` is true,
 * else only sections that are not roots. */
static struct candidates collect(struct match *match, int which, bool roots, enum key_use use)
{
    const struct side *side = &match->sides[which];
    const uint32_t *partners = match->diff->partners[which];
    struct candidates all = {
        ARENA_ARRAY(&match->arena, struct candidate, side->view->section_count), 0};
    for (uint32_t i = 0; i < side->view->section_count; i++) {
        if (partners[i] != NO_PARTNER || (side->roots[i] == i) != roots)
            continue;
        uint64_t key = 0;
        if (use == BY_NAME_AND_KEY && is_ambiguous(side->names[i]))
            key = candidate_key(match, which, i);
        all.items[all.count++] = (struct candidate){side->names[i]->id, i, key};
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, compare_candidates);
    return all;
}

static int compare_groups(const struct candidate *x, const struct candidate *y)
{
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void pair_up(struct match *match, bool roots, enum key_use use)
{
    struct candidates a = collect(match, SIDE_A, roots, use);
    struct candidates b = collect(match, SIDE_B, roots, use);
    uint32_t **partners = match->diff->partners;
    size_t i = 0, j = 0;
    while (i < a.count && j < b.count) {
        int order = compare_groups(&a.items[i], &b.items[j]);
        if (order == 0) {
            partners[SIDE_A][a.items[i].index] = b.items[j].index;
            partners[SIDE_B][b.items[j].index] = a.items[i].index;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static bool same_name_sequence(const struct match *match)
{
    const struct side *a = &match->sides[SIDE_A], *b = &match->sides[SIDE_B];
    if (a->view->section_count != b->view->section_count)
        return false;
    for (uint32_t i = 0; i < a->view->section_count; i++)
        if (a->names[i] != b->names[i])
            return false;
    return true;
}

static void pair_by_index(struct match *match)
{
    for (uint32_t i = 0; i < match->sides[SIDE_A].view->section_count; i++)
        match->diff->partners[SIDE_A][i] = match->diff->partners[SIDE_B][i] = i;
}

static void pair_all(struct match *match)
{
    if (match->ambiguous)
        sign_ambiguous(match);
    pair_up(match, true, BY_NAME_AND_KEY);
    pair_up(match, true, BY_NAME);
    pair_up(match, false, BY_NAME_AND_KEY);
    pair_up(match, false, BY_NAME);
}

/* ---------------------------------------------------------------------------------------------- */
/* Labels                                                                                         */

static void label_section(struct match *match, int which, uint32_t index)
{
    struct subject *subject = &match->diff->sides[which];
    struct section_name *name = match->sides[which].names[index];
    const char *label = name->name.text;
    if (is_ambiguous(name))
        label = arena_format(&subject->arena, "%s#%" PRIu32, label, ++name->numbered);
    subject->labels.sections[index] = label;
}

/* Labels the sections of A in their order, then the sections that only B has. Equal names are
 * numbered in this order. Partners get the same label. */
static void label_sections(struct match *match)
{
    struct diff *diff = match->diff;
    for (uint32_t i = 0; i < match->sides[SIDE_A].view->section_count; i++) {
        label_section(match, SIDE_A, i);
        uint32_t partner = diff->partners[SIDE_A][i];
        if (partner != NO_PARTNER)
            diff->sides[SIDE_B].labels.sections[partner] = diff->sides[SIDE_A].labels.sections[i];
    }
    for (uint32_t i = 0; i < match->sides[SIDE_B].view->section_count; i++)
        if (diff->partners[SIDE_B][i] == NO_PARTNER)
            label_section(match, SIDE_B, i);
}

static bool same_symbols(const struct elf_symbol_table *a, const struct elf_symbol_table *b)
{
    return a->count == b->count && a->strings_size == b->strings_size &&
           (!a->count || !memcmp(a->entries, b->entries, (size_t)a->count * ELF_SYMBOL_SIZE)) &&
           (!a->strings_size || !memcmp(a->strings, b->strings, a->strings_size));
}

void diff_match_sections(struct diff *diff)
{
    struct match match = {.diff = diff};
    tool_arena_init(&match.arena);
    name_table_init(&match.names, &match.arena, sizeof(struct section_name));
    for (int which = 0; which < SIDE_COUNT; which++) {
        prepare_side(&match, which);
        subject_label_plainly(&diff->sides[which]);
    }
    const struct elf_view *a = &diff->sides[SIDE_A].view, *b = &diff->sides[SIDE_B].view;
    bool same_sequence = same_name_sequence(&match);
    diff->same_indices = same_sequence &&
                         same_symbols(&a->symbols[VIEW_NATIVE], &b->symbols[VIEW_NATIVE]) &&
                         same_symbols(&a->symbols[VIEW_MERCURY], &b->symbols[VIEW_MERCURY]);
    if (same_sequence && (diff->strict || diff->same_indices))
        pair_by_index(&match);
    else
        pair_all(&match);
    label_sections(&match);
    arena_destroy(&match.arena);
}

struct symbol_name {
    struct name name;
    uint32_t uses[SIDE_COUNT];
};

static const char *symbol_name(const struct subject *subject, const struct elf_symbol *symbol)
{
    if (!*symbol->name && symbol->type == STT_SECTION)
        return section_label(subject, symbol->section);
    return symbol->name;
}

/* Labels each symbol with its name. If several symbols of a file have this name, the label ends
 * with the section and the value: "f@.text.f#2+0x0". */
static void label_view_symbols(struct diff *diff, struct name_table *names, int v)
{
    for (int which = 0; which < SIDE_COUNT; which++) {
        const struct subject *subject = &diff->sides[which];
        for (uint32_t i = 0; i < subject->view.symbols[v].count; i++) {
            struct elf_symbol symbol = elf_view_symbol(&subject->view, v, i);
            const char *text = symbol_name(subject, &symbol);
            ((struct symbol_name *)name_table_intern(names, text))->uses[which]++;
            subject->labels.symbols[v][i] = text;
        }
    }
    for (int which = 0; which < SIDE_COUNT; which++) {
        struct subject *subject = &diff->sides[which];
        const char **labels = subject->labels.symbols[v];
        for (uint32_t i = 0; i < subject->view.symbols[v].count; i++) {
            const struct symbol_name *name = name_table_intern(names, labels[i]);
            if (name->uses[SIDE_A] <= 1 && name->uses[SIDE_B] <= 1)
                continue;
            struct elf_symbol symbol = elf_view_symbol(&subject->view, v, i);
            labels[i] = arena_format(&subject->arena, "%s@%s+0x%" PRIx64, labels[i],
                                     section_label(subject, symbol.section), symbol.value);
        }
    }
}

void diff_label_symbols(struct diff *diff)
{
    struct arena arena;
    tool_arena_init(&arena);
    for (int v = 0; v < VIEW_COUNT; v++) {
        struct name_table names;
        name_table_init(&names, &arena, sizeof(struct symbol_name));
        label_view_symbols(diff, &names, v);
    }
    arena_destroy(&arena);
}
