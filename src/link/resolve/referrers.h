/* Functions and variables that refer to undefined symbols. */
#ifndef WARPLD_LINK_RESOLVE_REFERRERS_H
#define WARPLD_LINK_RESOLVE_REFERRERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name_table.h"

struct input_object;
struct elf_section;
struct warpld_link;

/* A function or variable that refers to an undefined symbol; or a section, if the reference is in
 * neither a function nor a variable. */
struct referrer {
    const struct input_object *object;
    const struct elf_section *section;
    const char *name; /* of the function or variable; NULL for a section */
};

enum { SHOWN_REFERRERS = 3 };

/* The referrers of one undefined symbol. */
struct referrers {
    struct referrer shown[SHOWN_REFERRERS]; /* the first referrers, in the order of linking */
    uint64_t count;                         /* number of all referrers, shown or not */
    struct referrer last;                   /* the referrer that was added last */
};

/* Collects the referrers of all undefined symbols. Visits each relocation of the link once.
 * `by_number` has one element for each undefined symbol, at the index undefined_number - 1 (struct
 * rare_symbol). It must be zeroed. */
void referrers_collect(struct warpld_link *link, struct referrers *by_number);

/* Whether two symbols have the same referrers. Returns false if there are more than SHOWN_REFERRERS
 * of them, because the rest are not recorded. */
bool referrers_are_same(const struct referrers *a, const struct referrers *b);

/* The names of referrers as notes show them. A million undefined symbols can have a few referrers
 * in common, and translating a name takes long. */
struct shown_referrers {
    struct name_table by_address; /* by the address of the name in struct referrer */
};
void shown_referrers_init(struct shown_referrers *shown, struct warpld_link *link);

/* Reports notes that list the referrers of one undefined symbol. */
void referrers_report(struct warpld_link *link, struct shown_referrers *shown,
                      const struct referrers *referrers);

#endif
