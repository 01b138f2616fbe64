/* Reads the attributes of the two views in parallel.
 *
 * The Mercury section of a function has nearly the same records as the native section, with offsets
 * that count expanded code. Some records are only in the Mercury section. Other records are only in
 * the native section, at its end: they are its tail, which keeps its order (observed on 8,000
 * objects of ptxas 13.0.88 for sm_100 to sm_121). */
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
    struct output_section *output; /* NULL if the records are only read, and not written */
    struct bytes mercury;          /* the Mercury records not read yet */
    bool paired;                   /* the native section has a Mercury counterpart */
    bool has_isa_version; /* true if MERCURY_ISA_VERSION is among the records read so far */
    bool failed;
};

/* `input` is a native section. */
struct record_views record_views_start(link_context *link, struct input_object *object,
                                       const struct elf_section *input,
                                       struct output_section *output);

/* The views of the output that have a native record. nvlink 13.0.88 generates the native attributes
 * from the Mercury attributes, and ignores the native attributes of the input. So it leaves out a
 * native record whose code it does not know (code 107, written by ptxas 13.0.100; observed with 12
 * codes). */
enum record_pairing { RECORD_IN_BOTH, RECORD_IN_TAIL, RECORD_LEFT_OUT };

/* Pairs the next native record with the next record of the Mercury section that both views have.
 * Copies the Mercury-only records before the latter to the output. Sets in *copy which views have
 * the record, and the payloads of both views if they differ. */
enum record_pairing record_views_pair(struct record_views *views, const struct info_record *native,
                                      struct output_record *copy);

/* Copies the remaining Mercury records to the output, and reports views that do not correspond.
 * Adds a MERCURY_ISA_VERSION record if the function has none. */
void record_views_finish(struct record_views *views);

#endif
