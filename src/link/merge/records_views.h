/* Attributes of the two views, read in step.
 *
 * The Mercury section of a function has the records of the native one, with offsets that count
 * expanded code, and some of its own; the native one ends with records of its own, which keep their
 * order (observed on 8,000 objects of ptxas 13.0.88 for sm_100 to sm_121). */
#ifndef WARPLD_LINK_MERGE_RECORDS_VIEWS_H
#define WARPLD_LINK_MERGE_RECORDS_VIEWS_H

#include "base/bytes.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

struct record_views {
    link_context *link;
    struct input_object *object;
    const struct elf_section *input;
    struct output_section *output; /* NULL: the records go */
    struct bytes mercury;          /* what is left of the Mercury section */
    bool paired;                   /* there is one */
    bool has_isa_version;          /* some record so far is one */
    bool failed;
};

/* input: a native section. */
struct record_views record_views_start(link_context *link, struct input_object *object,
                                       const struct elf_section *input,
                                       struct output_section *output);

/* nvlink 13.0.88 makes native attributes from the Mercury ones and does not look at those of the
 * input, so that a native one which it does not know is gone (107, of ptxas 13.0.100; 12 codes). */
enum record_place { RECORD_OF_BOTH, RECORD_OF_TAIL, RECORD_LEFT_OUT };

/* The next native record; *copy receives what the Mercury view has for it. Mercury records before
 * it are taken in. */
enum record_place record_views_pair(struct record_views *views, const struct info_record *native,
                                    struct output_record *copy);

/* Takes in what is left; reports views that do not correspond. A function without
 * MERCURY_ISA_VERSION gets it. */
void record_views_finish(struct record_views *views);

#endif
