/* Prints call graphs for Graphviz; see graph.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/terminal_text.h"
#include "tool/graph/graph.h"
#include "tool/program/program.h"

/* Prints text inside a quoted string of the language dot. Quotes and backslashes are escaped, so
 * that they do not end the string or begin an escape. Control characters are shown as in text
 * output. */
static void print_quoted(const struct graph *graph, const char *text)
{
    for (text = terminal_text_show(graph->arena, text); *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static uint64_t largest_weight(const struct graph *graph)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < graph->program->defined_count; i++) {
        uint64_t weight = graph_weight(graph, &graph->program->functions[i]);
        if (graph->is_shown[i] && weight > largest)
            largest = weight;
    }
    return largest;
}

/* Returns the hue of a node: from green for the weight 0 to red for the largest weight. */
static double hue_of(uint64_t weight, uint64_t largest)
{
    return largest ? 0.33 * (1.0 - (double)weight / (double)largest) : 0.33;
}

static void print_node(const struct graph *graph, uint32_t index, uint64_t largest)
{
    const struct program_function *function = &graph->program->functions[index];
    printf("  f%" PRIu32 " [label=\"", index);
    print_quoted(graph, function->label);
    if (!function->is_prototype) {
        fputs("\\n", stdout);
        print_quoted(graph, graph_needs(graph, function));
    }
    if (function->section)
        printf("\", style=\"filled%s\", fillcolor=\"%.3f 0.45 1.0\"];\n",
               function->is_kernel ? ",bold" : "", hue_of(graph_weight(graph, function), largest));
    else
        printf("\", style=%s];\n", function->is_prototype ? "rounded" : "dashed");
}

static void print_calls(const struct graph *graph, uint32_t index)
{
    const struct program_function *function = &graph->program->functions[index];
    for (uint32_t i = 0; i < function->calls_count; i++)
        printf("  f%" PRIu32 " -> f%" PRIu32 "%s;\n", index, function->calls[i],
               function->is_prototype ? " [style=dashed]" : "");
}

static void print_removed(const struct graph *graph)
{
    for (uint32_t i = 0; i < graph->removed_count; i++) {
        printf("  r%" PRIu32 " [label=\"", i);
        print_quoted(graph, graph->removed[i].name);
        fputs("\\nremoved, of ", stdout);
        print_quoted(graph, graph->removed[i].object);
        puts("\", style=dashed, color=gray, fontcolor=gray];");
    }
}

void graph_print_dot(const struct graph *graph)
{
    uint64_t largest = largest_weight(graph);
    puts("digraph calls {\n  rankdir=LR;\n  node [shape=box];");
    for (uint32_t i = 0; i < graph->program->count; i++)
        if (graph->is_shown[i])
            print_node(graph, i, largest);
    for (uint32_t i = 0; i < graph->program->count; i++)
        if (graph->is_shown[i])
            print_calls(graph, i);
    print_removed(graph);
    puts("}");
}
