/* Functions and variables that refer to undefined symbols. */
#ifndef WARPLD_LINK_RESOLVE_REFERRERS_H
#define WARPLD_LINK_RESOLVE_REFERRERS_H

#include <stdbool.h>
#include <stdint.h>

struct input_object;
struct elf_section;
struct warpld_link;

/* A function or variable that refers to an undefined symbol; or a section, if the reference is in
 * neither. */
struct referrer {
    const struct input_object *object;
    const struct elf_section *section;
    const char *name; /* or NULL */
};

enum { SHOWN_REFERRERS = 3 };

/* The referrers of one undefined symbol. */
struct referrers {
    struct referrer shown[SHOWN_REFERRERS]; /* the first ones, in the order of linking */
    uint64_t count;                         /* of all referrers */
    struct referrer last;
};

/* Visits every relocation of the link once. by_number: zeroed; the element of a symbol is at its
 * undefined_number - 1. */
void referrers_collect(struct warpld_link *link, struct referrers *by_number);

/* Whether all referrers of two symbols are shown and the same. */
bool referrers_are_same(const struct referrers *a, const struct referrers *b);

/* Reports the notes of one undefined symbol. */
void referrers_report(struct warpld_link *link, const struct referrers *referrers);

#endif
