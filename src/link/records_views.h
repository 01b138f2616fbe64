/* Attributes of the two views, read in step.
 *
 * The Mercury section of a function has the records of the native one, with offsets that count
 * expanded code, and some of its own; the native one ends with records of its own, which keep their
 * order (observed on 8,000 objects of ptxas 13.0.88 for sm_100 to sm_121). */
#ifndef WARPLD_LINK_RECORDS_VIEWS_H
#define WARPLD_LINK_RECORDS_VIEWS_H

#include "link/link.h"

struct record_views {
    link_context *link;
    struct input_object *object;
    const struct elf_section *input;
    struct output_section *output; /* NULL: the records go */
    struct bytes mercury;          /* what is left of the Mercury section */
    bool paired;                   /* there is one */
    bool failed;
};

/* input: a native section. */
struct record_views record_views_start(link_context *link, struct input_object *object,
                                       const struct elf_section *input,
                                       struct output_section *output);

/* The next native record; *copy receives what the Mercury view has for it. Mercury records before
 * it are taken in. True for a record of the native tail. */
bool record_views_pair(struct record_views *views, const struct info_record *native,
                       struct output_record *copy);

/* Takes in what is left; reports views that do not correspond. */
void record_views_finish(struct record_views *views);

#endif
