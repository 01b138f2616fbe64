/* cubintool graph: prints which function calls which, as text, JSON or for Graphviz. */
#ifndef WARPLD_TOOL_GRAPH_GRAPH_H
#define WARPLD_TOOL_GRAPH_GRAPH_H

#include <jansson.h>

#include "base/arena.h"
#include "tool/command/command.h"
#include "tool/program/program.h"

/* A function that an object has and the linked file lacks. */
struct removed_function {
    const char *name;
    const char *object;
    bool is_kernel;
};

struct graph {
    const struct program *program;
    struct arena *arena;
    bool *is_shown;        /* for each function; with --root, true only if the root reaches it */
    const char *colour_by; /* the resource of graph_weight: "registers", "frame" or "code" */
    const struct program_function *root; /* the function of --root, or NULL */
    GROWING_ARRAY(struct removed_function, removed);
};

int command_graph(const struct tool_options *options);

/* Prints each kernel with its callees below it. The callees of a function are printed only once. */
void graph_print_text(const struct graph *graph);
/* Prints a digraph whose nodes are coloured by a resource, from green to red. */
void graph_print_dot(const struct graph *graph);
json_t *graph_json(const struct graph *graph);

/* Returns how much of the resource graph->colour_by a function needs. */
uint64_t graph_weight(const struct graph *graph, const struct program_function *function);

/* Returns a text such as "36 registers, frame 8, code 512". */
const char *graph_needs(const struct graph *graph, const struct program_function *function);

#endif
