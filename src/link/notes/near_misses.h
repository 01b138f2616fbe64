/* Finds the definitions that a program may mean by an undefined symbol. A near miss has the same
 * identifier, but is static or has other parameters, another linkage or another namespace. A
 * definition is also a near miss if its identifier differs only in upper and lower case letters. */
#ifndef WARPLD_LINK_NOTES_NEAR_MISSES_H
#define WARPLD_LINK_NOTES_NEAR_MISSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name_table.h"

struct symbol;
struct warpld_link;

/* The undefined symbols, and for each the definitions that it may mean. */
struct near_misses {
    struct warpld_link *link;
    struct name_table by_identifier;
    struct wanted *wanted; /* the undefined symbols, by undefined_number - 1 */
    uint32_t count;        /* number of elements of `wanted` */
};

/* `count`: number of undefined symbols. Only the first MOST_EXPLAINED of them are explained, see
 * near_misses.c. */
void near_misses_init(struct near_misses *misses, struct warpld_link *link, uint32_t count);

/* Adds an undefined symbol. */
void near_misses_add(struct near_misses *misses, const struct symbol *symbol);

/* Searches the names of all inputs. Called once, after all symbols are added. */
void near_misses_search(struct near_misses *misses);

/* Reports the definitions that one undefined symbol may mean. Returns false if there are none. */
bool near_misses_report(const struct near_misses *misses, const struct symbol *symbol);

#endif
