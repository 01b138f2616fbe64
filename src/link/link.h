/* The list of passes, and the functions that run it. */
#ifndef WARPLD_LINK_LINK_H
#define WARPLD_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "link/model/link_context.h"
#include "warpld.h"

/* Kinds of links, as bits. A pass runs if one of its bits is a bit of the link. */
enum pass_use {
    FOR_EVERY_LINK = 1 << 0,
    FOR_OUTPUT = 1 << 1, /* the link has an output: its target is not virtual */
    FOR_FINAL = 1 << 2,
    FOR_RELOCATABLE = 1 << 3,
    /* Each of the following bits stands for a relocatable link with the option that asks for the
     * pass. A final link runs these passes without the option, because their rows also have
     * FOR_FINAL. */
    FOR_CALL_GRAPH = 1 << 4,
    FOR_NO_RESERVATION = 1 << 5,
    FOR_VERBOSE = 1 << 6,
};

/* The messages that end the link after a pass: none (CONTINUE), any error (STOP_ERROR), or only a
 * fatal message (STOP_FATAL). */
enum pass_end { CONTINUE, STOP_ERROR, STOP_FATAL };

struct pass {
    void (*run)(link_context *link);
    unsigned when; /* bits of enum pass_use */
    /* The stages that must be complete before the pass runs: those that it relies on, and those
     * whose messages precede its own. A stage that another needed stage implies is not listed. The
     * head of the pass's file gives the reasons. */
    link_stages needs;
    link_stages makes; /* the bit of one stage */
    unsigned freezes;  /* bits of enum frozen */
    enum pass_end then;
    /* The name of the function. It is an array. If it were a pointer, the dynamic loader would have
     * to relocate it whenever a program starts. */
    char function[32];
};

/* The name of a pass for callers that measure passes: the name of its function without "pass_". */
static inline const char *name_of_pass(const struct pass *pass)
{
    return pass->function + sizeof "pass_" - 1;
}

/* All passes, in order. */
const struct pass *link_passes(size_t *count);

/* Requires: the target is known. Runs the passes of the list that this link needs, until one ends
 * the link. Tests pass their own lists. */
void link_run_passes(link_context *link, const struct pass *passes, size_t count);

/* Returns WARPLD_ERROR_FATAL after a fatal message, WARPLD_ERROR_LINK after other errors, else
 * WARPLD_OK. */
enum warpld_status link_status(const link_context *link);

/* Both functions find the target and run passes: link_run runs all passes, link_run_with those of a
 * list. */
enum warpld_status link_run(link_context *link);
enum warpld_status link_run_with(link_context *link, const struct pass *passes, size_t count);

/* Asks the caller whether to cancel the link. If so, reports that and returns true. */
bool link_is_cancelled(link_context *link);

/* Reports the start of a pass to a caller that measures them. */
void link_report_pass(link_context *link, const char *name);

#endif
