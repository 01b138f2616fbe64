/* Definitions that an undefined symbol may mean: with other parameters, static, with other linkage,
 * in another namespace, in another case. */
#ifndef WARPLD_LINK_NOTES_NEAR_MISSES_H
#define WARPLD_LINK_NOTES_NEAR_MISSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name_table.h"

struct symbol;
struct warpld_link;

/* The undefined symbols by identifier, and the definitions found for each. */
struct near_misses {
    struct warpld_link *link;
    struct name_table by_identifier;
    struct wanted *wanted; /* by undefined_number - 1 */
    uint32_t count;        /* of symbols that are explained */
};

/* count: of undefined symbols. Only the first ones are explained, see MOST_EXPLAINED in
 * near_misses.c. */
void near_misses_init(struct near_misses *misses, struct warpld_link *link, uint32_t count);

/* Adds an undefined symbol. */
void near_misses_add(struct near_misses *misses, const struct symbol *symbol);

/* Reads the names of all inputs, once. */
void near_misses_search(struct near_misses *misses);

/* Reports the nearest definitions of one undefined symbol. Returns false if there is none. */
bool near_misses_report(const struct near_misses *misses, const struct symbol *symbol);

#endif
