/* Rows of facts; see listing.h. */
#include "tool/decode/listing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void listing_init(struct listing *listing, struct arena *arena, enum listing_layout layout)
{
    *listing = (struct listing){.arena = arena, .layout = layout};
}

void listing_add_row(struct listing *listing, unsigned identity)
{
    struct row *row = ARENA_APPEND(listing->arena, listing, rows);
    *row = (struct row){
        .first_fact = (uint32_t)listing->facts_count,
        .identity = (uint16_t)identity,
    };
}

static struct fact *add_fact(struct listing *listing, const char *key, enum fact_kind kind)
{
    struct fact *fact = ARENA_APPEND(listing->arena, listing, facts);
    *fact = (struct fact){.key = key, .kind = kind};
    listing->rows[listing->rows_count - 1].fact_count++;
    return fact;
}

void listing_add_copies(struct listing *listing, const struct listing *from, const char *key,
                        const char *text)
{
    text = arena_copy_string(listing->arena, text, strlen(text));
    for (size_t i = 0; i < from->rows_count; i++) {
        const struct row *row = &from->rows[i];
        listing_add_row(listing, row->identity);
        put_text(listing, key, text);
        for (size_t f = 0; f < row->fact_count; f++) {
            struct fact fact = row_facts(from, row)[f];
            assert(fact.kind <= FACT_TEXT || fact.kind == FACT_ABSENT);
            fact.key = arena_copy_string(listing->arena, fact.key, strlen(fact.key));
            if (fact.kind == FACT_TEXT)
                fact.value.text =
                    arena_copy_string(listing->arena, fact.value.text, strlen(fact.value.text));
            *add_fact(listing, fact.key, (enum fact_kind)fact.kind) = fact;
        }
    }
}

void put_number(struct listing *listing, const char *key, uint64_t value)
{
    add_fact(listing, key, FACT_NUMBER)->value.number = value;
}

void put_hex(struct listing *listing, const char *key, uint64_t value)
{
    add_fact(listing, key, FACT_HEX)->value.number = value;
}

void put_signed(struct listing *listing, const char *key, int64_t value)
{
    add_fact(listing, key, FACT_SIGNED)->value.number = (uint64_t)value;
}

void put_text(struct listing *listing, const char *key, const char *text)
{
    add_fact(listing, key, FACT_TEXT)->value.text = text;
}

void put_bytes(struct listing *listing, const char *key, struct bytes bytes)
{
    struct fact *fact = add_fact(listing, key, FACT_BYTES);
    fact->value.data = bytes.data;
    fact->count = (uint32_t)bytes.size;
}

void put_words(struct listing *listing, const char *key, struct bytes bytes)
{
    struct fact *fact = add_fact(listing, key, FACT_WORDS);
    fact->value.data = bytes.data;
    fact->count = (uint32_t)(bytes.size / 4);
    uint64_t rest = bytes.size % 4;
    if (rest)
        put_bytes(listing, "rest", (struct bytes){bytes.data + bytes.size - rest, rest});
}

void put_names(struct listing *listing, const char *key, const char *const *names, size_t count)
{
    struct fact *fact = add_fact(listing, key, FACT_NAMES);
    fact->value.names = names;
    fact->count = (uint32_t)count;
}

void put_absent(struct listing *listing, const char *key)
{
    add_fact(listing, key, FACT_ABSENT);
}

const char *flag_letters(struct arena *arena, uint64_t flags, const char *letters,
                         const uint64_t bits[], size_t count)
{
    char *text = arena_alloc(arena, count + 1);
    for (size_t i = 0; i < count; i++)
        text[i] = flags & bits[i] ? letters[i] : '-';
    return text;
}

/* ---------------------------------------------------------------------------------------------- */
/* Values as text                                                                                 */

static const char *bytes_text(struct arena *arena, const uint8_t *data, size_t count)
{
    static const char DIGITS[] = "0123456789abcdef";
    char *text = arena_alloc(arena, 3 * count + 1);
    char *at = text;
    for (size_t i = 0; i < count; i++) {
        if (i)
            *at++ = ' ';
        *at++ = DIGITS[data[i] >> 4];
        *at++ = DIGITS[data[i] & 15];
    }
    return text;
}

static const char *words_text(struct arena *arena, const uint8_t *data, size_t count)
{
    enum { LONGEST = sizeof ",0xffffffff" };
    char *text = arena_alloc(arena, LONGEST * count + 1);
    char *at = text;
    for (size_t i = 0; i < count; i++)
        at += snprintf(at, LONGEST + 1, "%s0x%" PRIx32, i ? "," : "", load_u32(data + 4 * i));
    return text;
}

static const char *names_text(struct arena *arena, const char *const *names, size_t count)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(names[i]) + 1;
    char *text = arena_alloc(arena, size);
    char *at = text;
    for (size_t i = 0; i < count; i++) {
        if (i)
            *at++ = ',';
        at = stpcpy(at, names[i]);
    }
    return text;
}

static const char *signed_text(struct arena *arena, uint64_t bits)
{
    bool negative = bits >> 63;
    return arena_format(arena, "%s0x%" PRIx64, negative ? "-" : "", negative ? 0 - bits : bits);
}

const char *fact_text(struct arena *arena, const struct fact *fact)
{
    switch ((enum fact_kind)fact->kind) {
    case FACT_NUMBER:
        return arena_format(arena, "%" PRIu64, fact->value.number);
    case FACT_HEX:
        return arena_format(arena, "0x%" PRIx64, fact->value.number);
    case FACT_SIGNED:
        return signed_text(arena, fact->value.number);
    case FACT_TEXT:
        return fact->value.text;
    case FACT_BYTES:
        return bytes_text(arena, fact->value.data, fact->count);
    case FACT_WORDS:
        return words_text(arena, fact->value.data, fact->count);
    case FACT_NAMES:
        return names_text(arena, fact->value.names, fact->count);
    case FACT_ABSENT:
        break;
    }
    return "-";
}

const char *row_text(struct arena *arena, const struct listing *listing, const struct row *row,
                     unsigned first, unsigned last)
{
    const struct fact *facts = row_facts(listing, row);
    const char *text = "";
    for (unsigned i = first; i < last; i++) {
        const char *value = fact_text(arena, &facts[i]);
        const char *space = i > first ? " " : "";
        if (i == 0 && facts[i].kind == FACT_TEXT)
            text = arena_format(arena, "%s%s%s", text, space, value);
        else
            text = arena_format(arena, "%s%s%s=%s", text, space, facts[i].key, value);
    }
    return text;
}

/* ---------------------------------------------------------------------------------------------- */
/* Comparing                                                                                      */

static bool names_equal(const struct fact *a, const struct fact *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(a->value.names[i], b->value.names[i]))
            return false;
    return true;
}

bool fact_equal(const struct fact *a, const struct fact *b)
{
    if (a->kind != b->kind || a->count != b->count || strcmp(a->key, b->key))
        return false;
    switch ((enum fact_kind)a->kind) {
    case FACT_NUMBER:
    case FACT_HEX:
    case FACT_SIGNED:
        return a->value.number == b->value.number;
    case FACT_TEXT:
        return !strcmp(a->value.text, b->value.text);
    case FACT_BYTES:
        return !a->count || !memcmp(a->value.data, b->value.data, a->count);
    case FACT_WORDS:
        return !a->count || !memcmp(a->value.data, b->value.data, (size_t)a->count * 4);
    case FACT_NAMES:
        return names_equal(a, b);
    case FACT_ABSENT:
        break;
    }
    return true;
}

static uint64_t text_hash(const char *text, uint64_t seed)
{
    return XXH3_64bits_withSeed(text, strlen(text), seed);
}

static uint64_t number_hash(uint64_t number, uint64_t seed)
{
    uint8_t bytes[8];
    store_u64(bytes, number);
    return XXH3_64bits_withSeed(bytes, sizeof bytes, seed);
}

static uint64_t fact_hash(const struct fact *fact, uint64_t seed)
{
    seed = number_hash((uint64_t)fact->kind << 32 | fact->count, text_hash(fact->key, seed));
    switch ((enum fact_kind)fact->kind) {
    case FACT_NUMBER:
    case FACT_HEX:
    case FACT_SIGNED:
        return number_hash(fact->value.number, seed);
    case FACT_TEXT:
        return text_hash(fact->value.text, seed);
    case FACT_BYTES:
        return XXH3_64bits_withSeed(fact->value.data, fact->count, seed);
    case FACT_WORDS:
        return XXH3_64bits_withSeed(fact->value.data, (size_t)fact->count * 4, seed);
    case FACT_NAMES:
        for (uint32_t i = 0; i < fact->count; i++)
            seed = text_hash(fact->value.names[i], seed);
        return seed;
    case FACT_ABSENT:
        break;
    }
    return seed;
}

uint64_t row_hash(const struct listing *listing, const struct row *row, unsigned count)
{
    const struct fact *facts = row_facts(listing, row);
    uint64_t hash = 0;
    assert(count <= row->fact_count);
    for (unsigned i = 0; i < count; i++)
        hash = fact_hash(&facts[i], hash);
    return hash;
}
