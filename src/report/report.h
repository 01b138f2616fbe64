/* The data from which all reports about a finished link are made: maps, JSON and texts. The reports
 * get all facts about the link from the queries of warpld.h. */
#ifndef WARPLD_REPORT_REPORT_H
#define WARPLD_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "warpld.h"

struct readable_names;

/* A message of the link. Its texts belong to the caller that made the report. */
struct report_message {
    enum warpld_severity severity;
    const char *code;
    const char *text;
    const char *input;  /* or NULL */
    const char *symbol; /* mangled, or NULL */
};

/* Converts a diagnostic of warpld.h. The result points to the texts of the diagnostic. */
struct report_message report_message_of(const struct warpld_diagnostic *diagnostic);

struct report {
    struct arena *arena;
    struct warpld_link *link; /* a finished link: warpld_run has returned WARPLD_OK */
    struct readable_names *names;
    bool keeps_mangled; /* names are shown as they are in the objects */
    const char *target; /* architecture of the link, such as "sm_90" */
    const char *output; /* path of the output */
    unsigned threads;   /* number of threads that the report may use */
    const struct report_message *messages;
    size_t messages_count;
};

/* Returns the name that reports show: its readable form, or the mangled name if keeps_mangled is
 * set. The text lives as long as the arena or the link. */
const char *report_name(const struct report *report, const char *name);

/* Returns the word for the kind in texts and in JSON: "kernel", "function", "global", ... */
const char *report_kind_name(enum warpld_symbol_kind kind);

/* Returns "code", "constant", "global", "shared" or "local", or "file" for a piece that is in no
 * memory space. */
const char *report_space_name(enum warpld_space space);

#endif
