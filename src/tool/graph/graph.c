/* cubintool graph; see graph.h. */
#include "tool/graph/graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/print/print.h"
#include "tool/program/find_function.h"
#include "tool/program/paths.h"

static const char *const RESOURCES[] = {"registers", "frame", "code"};

uint64_t graph_weight(const struct graph *graph, const struct program_function *function)
{
    if (!strcmp(graph->colour_by, "code"))
        return function->code_size;
    return !strcmp(graph->colour_by, "frame") ? function->frame.value : function->registers.value;
}

const char *graph_needs(const struct graph *graph, const struct program_function *function)
{
    if (function->is_prototype)
        return "";
    if (!function->section)
        return "not in the file";
    return arena_format(graph->arena, "%" PRIu32 " registers, frame %" PRIu32 ", code %" PRIu64,
                        function->registers.value, function->frame.value, function->code_size);
}

/* ---------------------------------------------------------------------------------------------- */
/* Removed functions                                                                              */

struct known_name {
    struct name name;
    bool is_known;
};

static void add_names(struct name_table *names, const struct program *program)
{
    for (uint32_t i = 0; i < program->defined_count; i++)
        ((struct known_name *)name_table_intern(names, program->functions[i].label))->is_known =
            true;
}

struct removed_search {
    struct graph *graph;
    struct name_table names; /* of struct known_name: names in the linked file, and removed names */
};

/* A subject_visitor that adds the functions of an object that the linked file lacks. A name is
 * added only once. */
static bool add_removed(void *context, const struct subject *subject)
{
    struct removed_search *search = context;
    struct graph *graph = search->graph;
    struct program program;
    struct arena arena;
    tool_arena_init(&arena);
    program_read(&program, subject, &arena);
    for (uint32_t i = 0; i < program.defined_count; i++) {
        const struct program_function *function = &program.functions[i];
        const char *label =
            arena_copy_string(graph->arena, function->label, strlen(function->label));
        struct known_name *name = name_table_intern(&search->names, label);
        if (!name->is_known)
            *ARENA_APPEND(graph->arena, graph, removed) = (struct removed_function){
                label, arena_copy_string(graph->arena, subject->path, strlen(subject->path)),
                function->is_kernel};
        name->is_known = true;
    }
    arena_destroy(&arena);
    return true;
}

static bool read_objects(struct graph *graph, const struct tool_options *options)
{
    struct removed_search search = {.graph = graph};
    bool is_good = true;
    name_table_init(&search.names, graph->arena, sizeof(struct known_name));
    add_names(&search.names, graph->program);
    for (size_t i = 1; i < options->file_count; i++)
        is_good &= subjects_visit(options->files[i], options, add_removed, &search);
    return is_good;
}

/* ---------------------------------------------------------------------------------------------- */
/* The command                                                                                    */

static bool choose_functions(struct graph *graph, const struct tool_options *options)
{
    struct reach reach;
    graph->is_shown = ARENA_ARRAY(graph->arena, bool, graph->program->count);
    for (uint32_t i = 0; i < graph->program->count; i++)
        graph->is_shown[i] = !options->root;
    if (!options->root)
        return true;
    graph->root = program_find_function(graph->program, options->root, graph->arena);
    if (!graph->root)
        return false;
    reach_from(&reach, graph->program, program_index(graph->program, graph->root), graph->arena);
    graph->is_shown = reach.has;
    return true;
}

static bool choose_colour(struct graph *graph, const struct tool_options *options)
{
    graph->colour_by = RESOURCES[0];
    for (size_t i = 0; options->by && i < sizeof RESOURCES / sizeof *RESOURCES; i++)
        if (!strcmp(RESOURCES[i], options->by))
            graph->colour_by = RESOURCES[i];
    if (!options->by || !strcmp(graph->colour_by, options->by))
        return true;
    tool_error("unknown value of --by: %s; expected registers, frame or code", options->by);
    return false;
}

static bool show_graph(struct subject *subject, const struct tool_options *options,
                       struct arena *arena)
{
    struct program program;
    struct graph graph = {.program = &program, .arena = arena};
    if (!subject_label(subject, tool_shows_readable_names(options), LABELS_OF_TABLES))
        return false;
    program_read(&program, subject, arena);
    if (!choose_colour(&graph, options) || !choose_functions(&graph, options))
        return false;
    bool is_good = read_objects(&graph, options);
    if (options->json)
        print_json(graph_json(&graph));
    else if (options->dot)
        graph_print_dot(&graph);
    else
        graph_print_text(&graph);
    return is_good;
}

int command_graph(const struct tool_options *options)
{
    if (options->json && options->dot) {
        tool_error("--json and --dot are two forms of output; choose one");
        return TOOL_EXIT_UNUSABLE;
    }
    return subjects_use_single(options, show_graph);
}
