/* The structure that the public handle points to. */
#ifndef WARPLD_LINK_HANDLE_H
#define WARPLD_LINK_HANDLE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/page_feeder.h"
#include "link/input/input_state.h"
#include "link/inspect/mentions.h"
#include "link/inspect/needs.h"
#include "link/inspect/pieces.h"
#include "link/inspect/removed.h"
#include "link/inspect/why.h"
#include "link/layout/layout_state.h"
#include "link/merge/merge_state.h"
#include "link/message_log.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/relocate/relocate_state.h"
#include "link/resolve/resolve_state.h"
#include "link/resources/resources_state.h"
#include "link/write/write_state.h"
#include "warpld.h"

/* The receiver of diagnostics; the callback may be NULL. */
struct receiver {
    struct warpld_link *link; /* NULL if no link was created */
    warpld_diagnostic_callback *callback;
    void *context;
};

/* All data of a link: the public handle points to `link`. Each folder of src/link keeps its data in
 * its own state structure. */
struct handle {
    struct warpld_link link; /* first, so that a pointer to it also points to the handle */
    struct input_state input;
    struct resolve_state resolve;
    struct relocate_state relocate;
    struct merge_state merge;
    struct layout_state layout;
    struct resources_state resources;
    struct write_state write;
    struct page_feeder page_feeder;
    /* Descriptor of a large file that the output replaced, see struct file_replacement; -1 if there
     * is none. */
    int replaced_file;
    struct receiver receiver;
    struct message_log log;             /* kept only with options.keep_log */
    struct memory_source memory_source; /* the caller's allocator, if it has one */
    jmp_buf out_of_memory;
    /* Status of the call that failed, if the link cannot continue after it; WARPLD_OK if there is
     * none. A message about the failure was reported. */
    enum warpld_status failure;
    bool has_run;

    /* Lists for queries by index. Each is made when a query first needs it. */
    const struct symbol **listed_symbols;
    size_t listed_symbols_count;
    const struct function **listed_kernels;
    size_t listed_kernels_count;
    struct piece_walk pieces;
    struct removed_list removed;
    struct mention_walk mentions;
    struct kept_chain kept_chain;
    struct need_list needs;
};

static inline struct handle *handle_of(struct warpld_link *link)
{
    return (struct handle *)link;
}

/* Returns WARPLD_OK if calls that are allowed only before the run are allowed now, else the status
 * that such a call returns. */
enum warpld_status handle_status_before_run(struct warpld_link *link);

/* Reports that memory ran out, after a jump to out_of_memory. */
enum warpld_status handle_report_exhausted(struct warpld_link *link);

/* handle_has_output returns true if there is an output. handle_has_plan returns true if the
 * contents of the output are known, too. They are unknown if a compiler made the whole output from
 * LTO-IR. */
bool handle_has_output(struct warpld_link *link);
bool handle_has_plan(struct warpld_link *link);

/* Lists the kernels, unless they are listed already. */
void handle_list_kernels(link_context *link);

/* Total size, in bytes, of all files that were added or found so far. */
uint64_t handle_inputs_size(const struct warpld_link *link);

/* Copies the values of some options into the diagnostics, the arena and the trace. They have fields
 * for these values, because they cannot read the options of the link. */
void handle_apply_options(link_context *link);

/* Reports a NULL argument of a call that changes the link, and makes the link fail. Otherwise the
 * output would lack what the caller wanted to add. */
enum warpld_status handle_refuse_null(struct warpld_link *link, const char *function,
                                      const char *argument);

/* Returns a copy that lives as long as the link; NULL for NULL. */
const char *handle_copy_text(link_context *link, const char *text);

#endif
