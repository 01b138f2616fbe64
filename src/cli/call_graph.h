/* The call graph as text: --dump-callgraph and --dot-file. */
#ifndef WARPLD_CLI_CALL_GRAPH_H
#define WARPLD_CLI_CALL_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "warpld.h"

struct readable_names;

struct call_graph_output {
    struct arena *arena;
    struct readable_names *names;
    bool dump;            /* prints the graph to standard error */
    bool mangled;         /* prints names as they are in the objects, without demangling */
    bool as_nvlink;       /* demangles names exactly as nvlink does */
    const char *dot_path; /* the file of --dot-file; NULL: none */
    size_t raised_size;   /* bytes that call_graph_print_raised has printed */
    bool has_graph;       /* the library has reported a graph */
    bool is_unwritable;   /* the file dot_path could not be written */
};

/* Callbacks for the library. The context is a struct call_graph_output. */
void call_graph_print(void *context, const struct warpld_call_graph *graph);
void call_graph_print_raised(void *context, const struct warpld_raised_registers *raised);

/* Ends the output after a link. If the library has reported no graph, as for a virtual target, the
 * function writes an empty graph to the file of --dot-file. */
void call_graph_finish(struct call_graph_output *output);

#endif
