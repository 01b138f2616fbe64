/* Finds the deepest stack by a depth-first search that does not recurse; see paths.h.
 *
 * The stack of a function is its frame plus the largest stack of its callees
 * (docs/format/attributes.md, STACK_SUM). Each call is followed once. */
#include "base/arena.h"
#include "tool/decode/subject.h"
#include "tool/program/paths.h"
#include "tool/program/program.h"

enum visit { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

struct visited {
    enum visit state;
    uint32_t next_call;
    uint32_t deepest; /* the callee with the largest stack, or NO_FUNCTION */
    uint64_t bytes;   /* stack of `deepest`; once VISIT_DONE, includes the function's own frame */
};

struct stack_search {
    const struct program *program;
    struct visited *visited; /* for each function */
    struct path open;        /* from the root to the function being visited */
    struct arena arena;
};

static void open_function(struct stack_search *search, uint32_t function)
{
    search->visited[function].state = VISIT_OPEN;
    search->visited[function].deepest = NO_FUNCTION;
    *ARENA_APPEND(&search->arena, &search->open, functions) = function;
}

static void close_function(struct stack_search *search)
{
    uint32_t function = search->open.functions[--search->open.functions_count];
    struct visited *visited = &search->visited[function];
    visited->state = VISIT_DONE;
    visited->bytes += search->program->functions[function].frame.value;
}

/* Copies a recursion, and the path that leads to it. Requires: the last function of the open path
 * calls `from`, so the part of the path from `from` on is a recursion. */
static void take_cycle(struct stack_chain *stack, const struct stack_search *search, uint32_t from,
                       struct arena *arena)
{
    stack->is_recursive = true;
    bool in_cycle = false;
    for (uint32_t i = 0; i < search->open.functions_count; i++) {
        uint32_t function = search->open.functions[i];
        if (!in_cycle)
            *ARENA_APPEND(arena, &stack->chain, functions) = function;
        in_cycle |= function == from;
        if (in_cycle)
            *ARENA_APPEND(arena, &stack->cycle, functions) = function;
    }
}

/* Follows the next call of the function that is being visited, or ends the visit after the last
 * call. Returns false if the call closes a recursion. */
static bool follow_call(struct stack_search *search, struct stack_chain *stack, struct arena *arena)
{
    uint32_t caller = search->open.functions[search->open.functions_count - 1];
    struct visited *visited = &search->visited[caller];
    const struct program_function *function = &search->program->functions[caller];
    if (visited->next_call == function->calls_count) {
        close_function(search);
        return true;
    }
    uint32_t callee = function->calls[visited->next_call];
    const struct visited *called = &search->visited[callee];
    if (called->state == VISIT_OPEN) {
        take_cycle(stack, search, callee, arena);
        return false;
    }
    if (called->state == VISIT_NEW) {
        open_function(search, callee);
        return true;
    }
    if (visited->deepest == NO_FUNCTION || called->bytes > visited->bytes) {
        visited->deepest = callee;
        visited->bytes = called->bytes;
    }
    visited->next_call++;
    return true;
}

static void take_chain(struct stack_chain *stack, const struct stack_search *search, uint32_t root,
                       struct arena *arena)
{
    stack->bytes = search->visited[root].bytes;
    for (uint32_t at = root; at != NO_FUNCTION; at = search->visited[at].deepest)
        *ARENA_APPEND(arena, &stack->chain, functions) = at;
}

static bool lacks_frame(const struct program_function *function)
{
    return function->section && !function->frame.known;
}

void stack_chain_find(struct stack_chain *stack, const struct program *program, uint32_t root,
                      struct arena *arena)
{
    struct stack_search search = {.program = program};
    *stack = (struct stack_chain){.bytes = 0};
    tool_arena_init(&search.arena);
    search.visited = ARENA_ARRAY(&search.arena, struct visited, program->count);
    open_function(&search, root);
    while (search.open.functions_count && follow_call(&search, stack, arena))
        continue;
    if (!stack->is_recursive)
        take_chain(stack, &search, root, arena);
    for (uint32_t i = 0; i < stack->chain.functions_count; i++)
        stack->lacks_frames |= lacks_frame(&program->functions[stack->chain.functions[i]]);
    arena_destroy(&search.arena);
}
