/* The call graph as text; see call_graph.h. The texts of --dump-callgraph and --dot-file have
 * nvlink's formats. They were compared with those of nvlink 13.0.88 for random programs; see
 * docs/reports.md. */
#include "cli/call_graph.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/terminal_text.h"
#include "cli/whole_line.h"
#include "readable_name/readable_name.h"

/* The maximum size in bytes of the text, and of the lines about raised register counts. They have
 * no natural bound: the text lists each call through a pointer with every function that the call
 * can reach, a line names a function again for each kernel, and names can have any length. */
enum { MOST_TEXT = 256 << 20 };

struct edge_writer {
    struct call_graph_output *output;
    const struct warpld_call_graph *graph;
    FILE *stream;
    /* A copy of graph->callees. In the list of each prototype, the functions are in descending
     * order of their numbers, as nvlink prints them. */
    uint32_t *reached;
    bool is_cut; /* true: the text has reached MOST_TEXT, and further edges are left out */
    void (*write)(struct edge_writer *writer, uint32_t caller, uint32_t callee);
};

static int compare_backwards(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left < right) - (left > right);
}

static struct edge_writer start(struct call_graph_output *output,
                                const struct warpld_call_graph *graph, FILE *stream)
{
    uint32_t count = graph->nodes_count ? graph->callees_start[graph->nodes_count] : 0;
    struct edge_writer writer = {.output = output, .graph = graph, .stream = stream};
    writer.reached = ARENA_ARRAY(output->arena, uint32_t, count);
    if (count)
        memcpy(writer.reached, graph->callees, count * sizeof *writer.reached);
    for (uint32_t node = graph->functions_count; node < graph->nodes_count; node++) {
        uint32_t first = graph->callees_start[node], last = graph->callees_start[node + 1];
        qsort(writer.reached + first, last - first, sizeof *writer.reached, compare_backwards);
    }
    return writer;
}

static bool is_full(struct edge_writer *writer)
{
    writer->is_cut = writer->is_cut || ftell(writer->stream) > MOST_TEXT;
    return writer->is_cut;
}

static void write_edge(struct edge_writer *writer, uint32_t caller, uint32_t callee)
{
    if (!is_full(writer))
        writer->write(writer, caller, callee);
}

static void write_prototype_edges(struct edge_writer *writer, uint32_t caller, uint32_t node)
{
    const struct warpld_call_graph *graph = writer->graph;
    uint32_t last = graph->callees_start[node + 1];
    for (uint32_t i = graph->callees_start[node]; i < last && !writer->is_cut; i++)
        write_edge(writer, caller, writer->reached[i]);
}

/* Writes calls through pointers first, in reading order. For each of them it lists the functions
 * that the call can reach, in descending order of their numbers. Direct calls follow, in the
 * reverse of reading order. */
static void write_edges(struct edge_writer *writer, uint32_t caller)
{
    const struct warpld_call_graph *graph = writer->graph;
    uint32_t first = graph->callees_start[caller], last = graph->callees_start[caller + 1];
    if (graph->functions[caller].is_removed)
        return;
    for (uint32_t i = first; i < last; i++)
        if (graph->callees[i] >= graph->functions_count)
            write_prototype_edges(writer, caller, graph->callees[i]);
    for (uint32_t i = last; i-- > first;)
        if (graph->callees[i] < graph->functions_count)
            write_edge(writer, caller, graph->callees[i]);
}

/* --------------------------------------------------------------------------------------------- */
/* --dump-callgraph                                                                              */

/* Writes a name, with escapes for characters that could make a part of it look like a separate
 * line. If the name is in quotes, a backslash precedes each quote and each backslash in it. */
static void write_name(FILE *stream, const char *name, bool is_in_quotes)
{
    for (size_t size; *name; name += size) {
        char shown[TERMINAL_LONGEST_SHOWN];
        size_t shown_size = terminal_text_show_character(shown, name, &size);
        for (size_t i = 0; i < shown_size; i++) {
            if (is_in_quotes && (shown[i] == '"' || shown[i] == '\\'))
                putc('\\', stream);
            putc(shown[i], stream);
        }
    }
}

static const char *shown_name(const struct call_graph_output *output, const char *name)
{
    return output->mangled ? name : readable_name(output->names, name, output->as_nvlink);
}

static void write_number(struct edge_writer *writer, uint32_t caller, uint32_t callee)
{
    (void)caller;
    fprintf(writer->stream, " %u", callee + 1);
}

static void dump_function(struct edge_writer *writer, uint32_t index)
{
    const struct warpld_graph_function *function = &writer->graph->functions[index];
    FILE *stream = writer->stream;
    fprintf(stream, "%u: ", index + 1);
    if (!function->is_removed) {
        fprintf(stream, "%s%s", function->is_entry ? "^" : "",
                function->is_address_taken ? "&" : "");
        write_name(stream, shown_name(writer->output, function->name), false);
        if (function->has_register_count)
            fprintf(stream, " [%u]", function->register_count);
        fputs(" ->", stream);
        write_edges(writer, index);
    }
    putc('\n', stream);
}

static void dump(struct call_graph_output *output, const struct warpld_call_graph *graph,
                 FILE *stream)
{
    /* "sm_90a" is shown as "sm_90". */
    int number_end = (int)(strcspn(graph->architecture, "0123456789") +
                           strspn(graph->architecture + 3, "0123456789"));
    if (!graph->objects_count) {
        fputs("No relocatable objects found. Did not generate callgraph.\n", stream);
        return;
    }
    fprintf(stream,
            "callgraph for %.*s:\n"
            "# A: s -> B // s (number A) potentially calls B\n"
            "# s [N]     // s uses N registers\n"
            "# ^s        // s is entry point\n"
            "# &s        // s has address taken\n",
            number_end, graph->architecture);
    struct edge_writer writer = start(output, graph, stream);
    writer.write = write_number;
    for (uint32_t i = 0; i < graph->functions_count && !is_full(&writer); i++)
        dump_function(&writer, i);
    if (writer.is_cut)
        fputs("# the rest is omitted\n", stream);
}

/* --------------------------------------------------------------------------------------------- */
/* --dot-file                                                                                    */

/* Writes a name in the dot language, in which names that are not C identifiers need quotes. nvlink
 * never writes quotes. */
static void write_dot_name(FILE *stream, const char *name)
{
    bool plain = isalpha((unsigned char)*name) || *name == '_';
    for (const char *c = name; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || *c == '_');
    if (plain) {
        fputs(name, stream);
        return;
    }
    putc('"', stream);
    write_name(stream, name, true);
    putc('"', stream);
}

/* Writes a call, but not a call to a removed function. A function that is kept only because its
 * address is taken can have such calls; nvlink crashes on them. */
static void write_arrow(struct edge_writer *writer, uint32_t caller, uint32_t callee)
{
    if (writer->graph->functions[callee].is_removed)
        return;
    write_dot_name(writer->stream, writer->graph->functions[caller].name);
    fputs(" -> ", writer->stream);
    write_dot_name(writer->stream, writer->graph->functions[callee].name);
    fputs(";\n", writer->stream);
}

static void draw(struct call_graph_output *output, const struct warpld_call_graph *graph,
                 FILE *stream)
{
    struct edge_writer writer = start(output, graph, stream);
    writer.write = write_arrow;
    fputs("digraph callgraph {\n", stream);
    for (uint32_t i = 0; i < graph->functions_count; i++)
        write_edges(&writer, i);
    if (writer.is_cut)
        fputs("// the rest is omitted\n", stream);
    fputs("}\n", stream);
}

/* --------------------------------------------------------------------------------------------- */

typedef void writes_graph(struct call_graph_output *output, const struct warpld_call_graph *graph,
                          FILE *stream);

/* Makes the complete text before any of it is written, so that no message gets between its lines,
 * and a file is replaced as a whole. */
static struct bytes text_of(struct call_graph_output *output, const struct warpld_call_graph *graph,
                            writes_graph *write, char **text)
{
    size_t size = 0;
    *text = NULL;
    FILE *stream = open_memstream(text, &size);
    if (!stream)
        return (struct bytes){NULL, 0};
    write(output, graph, stream);
    if (fclose(stream))
        size = 0;
    return (struct bytes){(const uint8_t *)*text, size};
}

static void write_drawing(struct call_graph_output *output, const struct warpld_call_graph *graph)
{
    char *text = NULL;
    struct bytes bytes = text_of(output, graph, draw, &text);
    output->is_unwritable = !bytes.data || file_replace(output->dot_path, bytes);
    free(text);
}

void call_graph_print(void *context, const struct warpld_call_graph *graph)
{
    struct call_graph_output *output = context;
    char *text = NULL;
    output->has_graph = true;
    if (output->dump) {
        struct bytes bytes = text_of(output, graph, dump, &text);
        fwrite(bytes.data, 1, bytes.size, stderr);
        free(text);
    }
    if (output->dot_path)
        write_drawing(output, graph);
}

void call_graph_finish(struct call_graph_output *output)
{
    static const struct warpld_call_graph NONE = {.size = sizeof NONE};
    if (output->dot_path && !output->has_graph)
        write_drawing(output, &NONE);
}

void call_graph_print_raised(void *context, const struct warpld_raised_registers *raised)
{
    struct call_graph_output *output = context;
    if (!output->dump || output->raised_size > MOST_TEXT)
        return;
    char *text = arena_format(output->arena, "regcount %u for %s propagated to entry %s",
                              raised->register_count, shown_name(output, raised->function),
                              shown_name(output, raised->kernel));
    const char *shown = terminal_text_show(output->arena, text);
    whole_line_write_text(shown);
    output->raised_size += strlen(shown);
}
