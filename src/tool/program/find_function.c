/* Finds functions by the names that people write; see find_function.h. */
#include "tool/program/find_function.h"

#include <string.h>

#include "base/arena.h"
#include "format/elf_view.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"
#include "tool/decode/tool_error.h"

/* How well a name fits a function; a larger value is a better fit. */
enum match { MATCH_NONE, MATCH_PART, MATCH_BASE, MATCH_WHOLE };

/* Whether the wanted name is the readable name without parameters or outer scopes: "f" or "ns::f"
 * for "a::ns::f(int)". */
static bool is_base_of(const char *wanted, const char *readable)
{
    size_t size = strlen(wanted);
    for (const char *at = readable; size && (at = strstr(at, wanted)); at++) {
        bool starts = at == readable || at[-1] == ':' || at[-1] == ' ';
        if (starts && (at[size] == '(' || at[size] == '<' || !at[size]))
            return true;
    }
    return false;
}

static enum match match_function(const struct program *program,
                                 const struct program_function *function, const char *wanted,
                                 struct readable_names *names)
{
    const char *name = elf_view_symbol(&program->subject->view, VIEW_NATIVE, function->symbol).name;
    const char *readable = readable_text(names, name);
    if (!strcmp(wanted, name) || !strcmp(wanted, readable) || !strcmp(wanted, function->label))
        return MATCH_WHOLE;
    if (is_base_of(wanted, readable))
        return MATCH_BASE;
    return strstr(readable, wanted) ? MATCH_PART : MATCH_NONE;
}

/* Returns how well a function fits, as a number. If a kernel and another function have the same
 * match, the kernel has the larger rank. Returns 0 if there is no match. */
static unsigned rank_of(enum match match, const struct program_function *function)
{
    return match == MATCH_NONE ? 0 : 2 * (unsigned)match + function->is_kernel;
}

struct found {
    const struct program_function *function; /* the first function with the largest rank */
    unsigned rank;
    uint32_t count; /* number of functions with this rank */
    GROWING_ARRAY(const char *, names);
};

static void take_match(struct found *found, const struct program_function *function, unsigned rank,
                       struct arena *arena)
{
    if (!rank || rank < found->rank)
        return;
    if (rank > found->rank)
        *found = (struct found){.function = function, .rank = rank};
    found->count++;
    *ARENA_APPEND(arena, found, names) = function->label;
}

static void report_matches(const struct program *program, const struct found *found,
                           const char *wanted)
{
    enum { SHOWN = 10 };
    if (!found->count)
        tool_error("%s: no kernel or function is named %s; 'cubintool resources' lists all",
                   program->subject->path, wanted);
    else
        tool_error("%s: %u functions fit %s; give more of the name, or that of --no-demangle",
                   program->subject->path, found->count, wanted);
    for (uint32_t i = 0; i < found->names_count && i < SHOWN; i++)
        tool_error("  %s", found->names[i]);
}

const struct program_function *program_find_function(const struct program *program,
                                                     const char *wanted, struct arena *arena)
{
    struct readable_names names = {.arena = arena};
    struct found found = {.function = NULL};
    for (uint32_t i = 0; i < program->defined_count; i++) {
        const struct program_function *function = &program->functions[i];
        take_match(&found, function,
                   rank_of(match_function(program, function, wanted, &names), function), arena);
    }
    if (found.count == 1)
        return found.function;
    report_matches(program, &found, wanted);
    return NULL;
}
