/* Which functions and variables refer to names that nothing defines. */
#ifndef WARPLD_LINK_RESOLVE_REFERRERS_H
#define WARPLD_LINK_RESOLVE_REFERRERS_H

#include <stdint.h>

struct input_object;
struct elf_section;
struct warpld_link;

/* A place: a function or variable, or a section where it is in none. */
struct referrer {
    const struct input_object *object;
    const struct elf_section *section;
    const char *name; /* or NULL */
};

enum { SHOWN_REFERRERS = 3 };

/* The places that refer to one name. */
struct referrers {
    struct referrer shown[SHOWN_REFERRERS]; /* the first, in the order of linking */
    uint64_t count;                         /* of all */
    struct referrer last;
};

/* Looks at every relocation of the link once. by_number: zeroed; of the names with an
 * undefined_number, counted from 1. */
void referrers_collect(struct warpld_link *link, struct referrers *by_number);

/* The notes of one name. */
void referrers_report(struct warpld_link *link, const struct referrers *referrers);

#endif
