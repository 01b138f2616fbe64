/* Finds the targets of the device code in a file, to name them in notes. */
#ifndef WARPLD_LINK_INPUT_INPUT_TARGETS_H
#define WARPLD_LINK_INPUT_INPUT_TARGETS_H

#include "base/bytes.h"

struct fatbin_entry;
struct input_object;
struct warpld_link;

/* Returns the target of an entry of a fat binary: "sm_80" for machine code, "compute_90" for PTX,
 * or "lto_90a" for LTO-IR. */
const char *input_target_of_entry(struct warpld_link *link, const struct fatbin_entry *entry);

/* Returns the target of an object's machine code, such as "sm_90a". */
const char *input_target_of_object(struct warpld_link *link, const struct input_object *object);

/* A list of distinct targets, such as "sm_80" and "compute_90", in the order in which they are
 * first seen. */
enum { MOST_TARGETS = 12 };
struct input_targets {
    const char *names[MOST_TARGETS];
    unsigned count;
};

/* Adds the targets of the device code in a file: a cubin, a fat binary, a host object or an
 * archive. Visits only the first members of an archive. Skips damaged code. */
void input_targets_add(struct warpld_link *link, struct input_targets *targets, struct bytes file);

/* Returns the targets as one text, such as "sm_80, sm_90"; NULL if there are none. */
const char *input_targets_text(struct warpld_link *link, const struct input_targets *targets);

/* Reports the targets of the inputs. Called after the message that the link's target is missing or
 * unknown. */
void input_targets_report(struct warpld_link *link);

/* Reports the targets of the inputs, unless one of them is `target`. Called after the message that
 * no input fits the target. */
void input_targets_report_others(struct warpld_link *link, const char *target);

/* Reports why a skipped library does not fit. Called after the warning about it. */
void input_targets_explain_library(struct warpld_link *link, const char *path, struct bytes file);

#endif
