/* Paths through the call graph; see call_path.h. The passes that report limits call these
 * functions. */
#include "link/resources/call_path.h"

#include "base/diagnostic.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/notes/shown_name.h"

/* If a path has more than SHOWN_STEPS steps, only END_STEPS at each end are shown. */
enum { END_STEPS = 6, SHOWN_STEPS = 12 };

void call_path_append(link_context *link, struct call_path *path, const struct function *function,
                      bool through_pointer)
{
    *ARENA_APPEND(&link->arena, path, steps) = (struct call_step){function, through_pointer};
}

/* --------------------------------------------------------------------------------------------- */
/* Search, breadth first                                                                         */

static void visit_on_path(struct call_search *search, uint32_t node, uint32_t previous)
{
    if (search->previous[node])
        return;
    search->previous[node] = previous + 1;
    search->queue[search->queue_size++] = node;
}

void call_search_from(struct call_search *search, link_context *link,
                      const struct function *function)
{
    const struct callgraph *graph = &link->callgraph;
    *search = (struct call_search){
        .link = link,
        .first = function->index,
        .previous = ARENA_ARRAY(&link->arena, uint32_t, graph->node_count),
        .queue = ARENA_ARRAY(&link->arena, uint32_t, graph->node_count),
    };
    visit_on_path(search, function->index, function->index);
    for (uint32_t next = 0; next < search->queue_size; next++) {
        uint32_t node = search->queue[next];
        for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++)
            visit_on_path(search, graph->callees.targets[i], node);
    }
}

static void reverse(struct call_path *path)
{
    for (size_t i = 0, j = path->steps_count; i + 1 < j; i++) {
        struct call_step step = path->steps[i];
        path->steps[i] = path->steps[--j];
        path->steps[j] = step;
    }
}

/* Returns the steps of the path to a node. A prototype has a node in the call graph, but is no
 * step. Instead, `through_pointer` is set in the step that follows the prototype. */
struct call_path call_search_path(const struct call_search *search, uint32_t node)
{
    link_context *link = search->link;
    struct call_path path = {.steps = NULL};
    while (search->previous[node]) {
        uint32_t caller = search->previous[node] - 1;
        bool through_pointer = caller >= link->callgraph.function_count;
        if (node < link->callgraph.function_count)
            call_path_append(link, &path, link->functions[node], through_pointer);
        if (node == search->first)
            break;
        node = caller;
    }
    reverse(&path);
    return path;
}

/* --------------------------------------------------------------------------------------------- */
/* Notes                                                                                         */

static const char *readable_function_name(link_context *link, const struct function *function)
{
    return shown_name(&link->arena, symbol_name(function->symbol));
}

/* True if the step is not shown, because it is in the middle of a long path. */
static bool is_left_out(const struct call_path *path, size_t step)
{
    return path->steps_count > SHOWN_STEPS && step >= END_STEPS &&
           step < path->steps_count - END_STEPS;
}

const char *call_path_text(link_context *link, const struct call_path *path)
{
    const char *text = "";
    for (size_t i = 0; i < path->steps_count; i++) {
        const struct call_step *step = &path->steps[i];
        if (is_left_out(path, i)) {
            text = arena_format(&link->arena, "%s -> ...", text);
            i = path->steps_count - END_STEPS - 1;
            continue;
        }
        text = arena_format(&link->arena, "%s%s'%s'%s", text, i ? " -> " : "",
                            readable_function_name(link, step->function),
                            step->through_pointer ? " (through a pointer)" : "");
    }
    return text;
}

static enum diagnostic_name message_of(const struct call_path *path, size_t step)
{
    if (!step)
        return DIAGNOSTIC_CALL_FIRST;
    return path->steps[step].through_pointer ? DIAGNOSTIC_CALL_POINTER : DIAGNOSTIC_CALL_DIRECT;
}

void call_path_report(link_context *link, const struct call_path *path, call_amount *amount,
                      const char *unit)
{
    for (size_t i = 0; i < path->steps_count; i++) {
        const struct function *function = path->steps[i].function;
        const char *input = function->symbol->object->name;
        if (is_left_out(path, i)) {
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_CALLS_LEFT_OUT, NULL, NULL,
                              path->steps_count - SHOWN_STEPS);
            i = path->steps_count - END_STEPS - 1;
            continue;
        }
        diagnostic_report(&link->diagnostics, message_of(path, i), input,
                          symbol_name(function->symbol), readable_function_name(link, function),
                          input, amount(function), unit);
    }
}
