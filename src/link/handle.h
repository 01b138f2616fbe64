/* What the public handle points to. */
#ifndef WARPLD_LINK_HANDLE_H
#define WARPLD_LINK_HANDLE_H

#include "base/page_feeder.h"
#include "link/input/input_state.h"
#include "link/layout/layout_state.h"
#include "link/merge/merge_state.h"
#include "link/model/link_context.h"
#include "link/relocate/relocate_state.h"
#include "link/resolve/resolve_state.h"
#include "link/resources/resources_state.h"
#include "link/write/write_state.h"
#include "warpld.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* Who receives diagnostics; the callback may be NULL. */
struct receiver {
    warpld_diagnostic_callback *callback;
    void *context;
};

/* What the public handle points to: the link, and where to go when memory runs out. */
struct handle {
    struct warpld_link link; /* first: the two addresses are the same */
    struct input_state input;
    struct resolve_state resolve;
    struct relocate_state relocate;
    struct merge_state merge;
    struct layout_state layout;
    struct resources_state resources;
    struct write_state write;
    struct page_feeder page_feeder;
    int replaced_file; /* see file_replace_made; -1 none */
    struct receiver receiver;
    jmp_buf out_of_memory;
    enum warpld_status failure; /* of a call that the link cannot recover from; it was reported */
    bool has_run;
};

static inline struct handle *handle_of(struct warpld_link *link)
{
    return (struct handle *)link;
}

/* Whether a call that belongs before the run can do its work; else what it returns. */
enum warpld_status handle_status_before_run(struct warpld_link *link);

/* Reports that memory ran out, after a jump to out_of_memory. */
enum warpld_status handle_report_exhausted(struct warpld_link *link);

/* Bytes of all files that were added or found so far. */
uint64_t handle_inputs_size(const struct warpld_link *link);

/* A copy that lives as long as the link; NULL of NULL. */
const char *handle_copy_text(link_context *link, const char *text);

#endif
