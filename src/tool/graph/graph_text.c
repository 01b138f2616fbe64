/* Prints call graphs as indented text, and makes their JSON; see graph.h. */
#include <stdio.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "tool/graph/graph.h"
#include "tool/print/print.h"
#include "tool/program/program.h"

/* A function whose callees are being printed. */
struct level {
    uint32_t function;
    uint32_t next_call;
};

struct text_printer {
    const struct graph *graph;
    bool *is_printed;                  /* indexed by function */
    GROWING_ARRAY(struct level, open); /* from the root to the function that is being printed */
};

static const char *kind_of(const struct program_function *function)
{
    if (function->is_kernel)
        return "kernel ";
    return function->is_address_taken ? "&" : "";
}

static void print_function(struct text_printer *printer, uint32_t index)
{
    enum { INDENT = 3, DEEPEST = 40 }; /* a deeper call is indented as if its depth were DEEPEST */
    const struct graph *graph = printer->graph;
    const struct program_function *function = &graph->program->functions[index];
    uint32_t depth = printer->open_count < DEEPEST ? printer->open_count : DEEPEST;
    bool is_again = printer->is_printed[index] && function->calls_count;
    const char *needs = is_again ? "see above" : graph_needs(graph, function);
    printf("%*s%s%s%s%s%s\n", (int)(depth ? INDENT * depth - 1 : 0), "", depth ? "-> " : "",
           kind_of(function), terminal_text_show(graph->arena, function->label), *needs ? ": " : "",
           needs);
}

/* Prints a function and the functions that it reaches. A stack replaces recursion, because graphs
 * can be deep. */
static void print_below(struct text_printer *printer, uint32_t root)
{
    const struct program *program = printer->graph->program;
    print_function(printer, root);
    printer->is_printed[root] = true;
    *ARENA_APPEND(printer->graph->arena, printer, open) = (struct level){root, 0};
    while (printer->open_count) {
        struct level *level = &printer->open[printer->open_count - 1];
        const struct program_function *function = &program->functions[level->function];
        if (level->next_call == function->calls_count) {
            printer->open_count--;
            continue;
        }
        uint32_t callee = function->calls[level->next_call++];
        print_function(printer, callee);
        if (printer->is_printed[callee])
            continue;
        printer->is_printed[callee] = true;
        *ARENA_APPEND(printer->graph->arena, printer, open) = (struct level){callee, 0};
    }
}

static void print_removed(const struct graph *graph)
{
    if (graph->removed_count)
        puts("removed:");
    for (uint32_t i = 0; i < graph->removed_count; i++) {
        const struct removed_function *removed = &graph->removed[i];
        printf("   %s%s, of %s\n", removed->is_kernel ? "kernel " : "",
               terminal_text_show(graph->arena, removed->name),
               terminal_text_show(graph->arena, removed->object));
    }
}

/* Prints the root and the functions that it reaches. Without a root, does this for each kernel, and
 * then for each function that no kernel reaches. */
void graph_print_text(const struct graph *graph)
{
    const struct program *program = graph->program;
    struct text_printer printer = {.graph = graph};
    printer.is_printed = ARENA_ARRAY(graph->arena, bool, program->count);
    if (graph->root) {
        print_below(&printer, program_index(program, graph->root));
    } else {
        for (int kernels = 1; kernels >= 0; kernels--)
            for (uint32_t i = 0; i < program->defined_count; i++)
                if (program->functions[i].is_kernel == kernels && !printer.is_printed[i])
                    print_below(&printer, i);
    }
    print_removed(graph);
}

/* ---------------------------------------------------------------------------------------------- */
/* JSON                                                                                           */

static json_t *json_size(uint64_t value)
{
    return json_made(json_integer((json_int_t)value));
}

static json_t *json_function(const struct program_function *function)
{
    json_t *object = json_made(json_object()), *calls = json_made(json_array());
    json_object_set_new(object, "name", json_text(function->label));
    json_object_set_new(object, "kind",
                        json_text(function->is_prototype ? "pointer"
                                  : !function->section   ? "undefined"
                                  : function->is_kernel  ? "kernel"
                                                         : "function"));
    json_object_set_new(object, "registers", json_size(function->registers.value));
    json_object_set_new(object, "frame", json_size(function->frame.value));
    json_object_set_new(object, "code", json_size(function->code_size));
    for (uint32_t i = 0; i < function->calls_count; i++)
        json_array_append_new(calls, json_size(function->calls[i]));
    json_object_set_new(object, "calls", calls);
    return object;
}

/* Returns the JSON of the graph. It has all functions, because calls name functions by index. The
 * member "shown" says whether the root reaches a function. */
json_t *graph_json(const struct graph *graph)
{
    json_t *object = json_made(json_object());
    json_t *functions = json_made(json_array()), *removed = json_made(json_array());
    for (uint32_t i = 0; i < graph->program->count; i++) {
        json_t *function = json_function(&graph->program->functions[i]);
        json_object_set_new(function, "shown", json_boolean(graph->is_shown[i]));
        json_array_append_new(functions, function);
    }
    for (uint32_t i = 0; i < graph->removed_count; i++) {
        json_t *one = json_made(json_object());
        json_object_set_new(one, "name", json_text(graph->removed[i].name));
        json_object_set_new(one, "object", json_text(graph->removed[i].object));
        json_array_append_new(removed, one);
    }
    json_object_set_new(object, "file", json_text(graph->program->subject->path));
    json_object_set_new(object, "functions", functions);
    json_object_set_new(object, "removed", removed);
    return object;
}
