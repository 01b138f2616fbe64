/* Listings: rows of named facts, which the commands show.
 *
 * Every structure of a file is decoded once into rows. Text and JSON print the same rows, and diff
 * compares rows, so they cannot disagree about the contents of a file. */
#ifndef WARPLD_TOOL_DECODE_LISTING_H
#define WARPLD_TOOL_DECODE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

enum fact_kind {
    FACT_NUMBER, /* decimal in text */
    FACT_HEX,
    FACT_SIGNED, /* hexadecimal with a sign in text */
    FACT_TEXT,
    FACT_BYTES,
    FACT_WORDS, /* 32-bit words, little-endian in the file */
    FACT_NAMES,
    FACT_ABSENT, /* the column exists, but not for this row: "-" in text, null in JSON */
};

struct fact {
    const char *key;
    uint32_t kind;  /* enum fact_kind */
    uint32_t count; /* number of bytes, words or names */
    union {
        uint64_t number; /* NUMBER, HEX, SIGNED */
        const char *text;
        const uint8_t *data; /* BYTES, WORDS */
        const char *const *names;
    } value;
};

struct row {
    uint32_t first_fact;
    uint16_t fact_count;
    uint16_t identity; /* number of leading facts that identify the entry */
};

enum listing_layout {
    LAYOUT_TABLE,      /* aligned columns with headings; all rows have the same facts */
    LAYOUT_RECORDS,    /* a line per row: the value of the first fact, then key=value */
    LAYOUT_GROUPS,     /* successive rows with the same first fact have it as their heading */
    LAYOUT_PROPERTIES, /* one fact per line */
    LAYOUT_LINES,      /* a line per row: values without keys */
};

struct listing {
    struct arena *arena;
    enum listing_layout layout;
    GROWING_ARRAY(struct row, rows);
    GROWING_ARRAY(struct fact, facts);
};

void listing_init(struct listing *listing, struct arena *arena, enum listing_layout layout);

/* Starts a row; the put functions below add facts to the newest row. `identity` is the number of
 * facts that identify the row. Keys, texts and data must outlive the listing. */
void listing_add_row(struct listing *listing, unsigned identity);

/* Adds a copy of each row of the listing `from`. Each copy has an additional first fact with this
 * key and text. `from` may be freed before `listing`. Requires: all facts of `from` are numbers,
 * texts or absent. */
void listing_add_copies(struct listing *listing, const struct listing *from, const char *key,
                        const char *text);

void put_number(struct listing *listing, const char *key, uint64_t value);
void put_hex(struct listing *listing, const char *key, uint64_t value);
void put_signed(struct listing *listing, const char *key, int64_t value);
void put_text(struct listing *listing, const char *key, const char *text);
void put_bytes(struct listing *listing, const char *key, struct bytes bytes);
/* Adds a fact with the words. If the size is not a multiple of 4, the last bytes become a fact
 * "rest". */
void put_words(struct listing *listing, const char *key, struct bytes bytes);
void put_names(struct listing *listing, const char *key, const char *const *names, size_t count);
void put_absent(struct listing *listing, const char *key);

/* Returns `letters` with "-" for each letter whose bit is not set in `flags`: "RWX" or "R--".
 * bits[i] is the bit of letters[i]. */
const char *flag_letters(struct arena *arena, uint64_t flags, const char *letters,
                         const uint64_t bits[], size_t count);

static inline const struct fact *row_facts(const struct listing *listing, const struct row *row)
{
    return listing->facts + row->first_fact;
}

/* Returns the value of a fact as text. */
const char *fact_text(struct arena *arena, const struct fact *fact);

/* Formats the facts [first, last) of a row on one line, as "NAME key=value key=value". Fact 0 of
 * the row is shown without its key if it is a text. */
const char *row_text(struct arena *arena, const struct listing *listing, const struct row *row,
                     unsigned first, unsigned last);

bool fact_equal(const struct fact *a, const struct fact *b);

/* Returns a hash of the keys and values of the first `count` facts of a row. */
uint64_t row_hash(const struct listing *listing, const struct row *row, unsigned count);

#endif
