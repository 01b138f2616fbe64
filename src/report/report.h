/* The data from which all reports about a finished link are made: maps, JSON and texts. They get
 * everything about the link from the queries of warpld.h. */
#ifndef WARPLD_REPORT_REPORT_H
#define WARPLD_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "warpld.h"

struct readable_names;

/* A message of the link; it belongs to the caller that made the report. */
struct report_message {
    enum warpld_severity severity;
    const char *code;
    const char *text;
    const char *input;  /* or NULL */
    const char *symbol; /* mangled, or NULL */
};

/* Points to the texts of the diagnostic. */
struct report_message report_message_of(const struct warpld_diagnostic *diagnostic);

struct report {
    struct arena *arena;
    struct warpld_link *link; /* warpld_run has returned WARPLD_OK */
    struct readable_names *names;
    bool keeps_mangled; /* names are shown as they are in the objects */
    const char *target; /* "sm_90" */
    const char *output; /* its path */
    unsigned threads;   /* that the report may use */
    const struct report_message *messages;
    size_t messages_count;
};

/* The name as people read it; the text lives as long as the arena or the link. */
const char *report_name(const struct report *report, const char *name);

/* "kernel", "function", "global", ...; the same words in texts and in JSON. */
const char *report_kind_name(enum warpld_symbol_kind kind);

/* "code", "constant", "global", "shared", "local"; "file" for what is in no memory. */
const char *report_space_name(enum warpld_space space);

#endif
