/* A document of titled parts, each with sentences and a table, printed as text or JSON. */
#ifndef WARPLD_TOOL_PRINT_PARTS_H
#define WARPLD_TOOL_PRINT_PARTS_H

#include <jansson.h>

#include "base/arena.h"
#include "tool/decode/listing.h"

struct part {
    const char *key;                    /* name of the part in JSON */
    const char *title;                  /* heading of the part in text */
    GROWING_ARRAY(const char *, lines); /* sentences before the table */
    struct listing rows;                /* the table */
};

struct parts {
    struct arena *arena;
    GROWING_ARRAY(struct part *, all);
};

/* Adds a part. The returned address remains valid when other parts are added. */
struct part *parts_add(struct parts *parts, const char *key, const char *title);

/* Adds a sentence, which is printed before the table. */
__attribute__((format(printf, 3, 4))) void part_say(struct parts *parts, struct part *part,
                                                    const char *format, ...);

/* Prints each part after an empty line: its title, its sentences and the first `limit` rows. */
void print_parts(const struct parts *parts, size_t limit);

/* Adds a member to `object` for each part. The member is an object with two arrays: "text" has the
 * sentences, "rows" the table. */
void json_parts(const struct parts *parts, json_t *object);

#endif
