/* Searches breadth first; see paths.h. */
#include "tool/program/paths.h"

#include "base/arena.h"
#include "tool/program/program.h"

static void add_found(struct reach *reach, uint32_t function, uint32_t caller)
{
    if (reach->has[function])
        return;
    reach->has[function] = true;
    reach->caller[function] = caller;
    reach->found[reach->count++] = function;
}

void reach_from(struct reach *reach, const struct program *program, uint32_t root,
                struct arena *arena)
{
    *reach = (struct reach){.root = root};
    reach->found = ARENA_ARRAY(arena, uint32_t, program->count);
    reach->caller = ARENA_ARRAY(arena, uint32_t, program->count);
    reach->has = ARENA_ARRAY(arena, bool, program->count);
    add_found(reach, root, NO_FUNCTION);
    for (uint32_t i = 0; i < reach->count; i++) {
        const struct program_function *function = &program->functions[reach->found[i]];
        for (uint32_t k = 0; k < function->calls_count; k++)
            add_found(reach, function->calls[k], reach->found[i]);
    }
}

static void reverse(struct path *path)
{
    for (uint32_t i = 0; i < path->functions_count / 2; i++) {
        uint32_t *other = &path->functions[path->functions_count - 1 - i], kept = *other;
        *other = path->functions[i];
        path->functions[i] = kept;
    }
}

struct path reach_path(const struct reach *reach, uint32_t target, struct arena *arena)
{
    struct path path = {.functions = NULL};
    for (uint32_t at = target; at != NO_FUNCTION; at = reach->caller[at])
        *ARENA_APPEND(arena, &path, functions) = at;
    reverse(&path);
    return path;
}

const char *path_text(const struct path *path, const struct program *program, struct arena *arena)
{
    const char *text = "";
    for (uint32_t i = 0; i < path->functions_count; i++)
        text = arena_format(arena, "%s%s%s", text, i ? " -> " : "",
                            program->functions[path->functions[i]].label);
    return text;
}
