/* cubintool explain; see explain.h. */
#include "tool/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "format/elf_view.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"
#include "tool/decode/shown.h"
#include "tool/decode/subject.h"
#include "tool/images/subjects.h"
#include "tool/link_report/link_report.h"
#include "tool/print/print.h"

/* How well a name fits a function. */
enum match { MATCH_NONE, MATCH_PART, MATCH_BASE, MATCH_WHOLE };

/* "f" fits "ns::f(int)": without the parameters, and from a name of a scope on. */
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

/* Kernels are preferred to functions that fit equally well. */
static unsigned rank_of(enum match match, const struct program_function *function)
{
    return match == MATCH_NONE ? 0 : 2 * (unsigned)match + function->is_kernel;
}

struct found {
    const struct program_function *function;
    unsigned rank;
    uint32_t count; /* of functions with this rank */
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

/* The one function that the name fits best; NULL after a message. */
static const struct program_function *find_function(const struct program *program,
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

static void explain_all(struct explanation *explanation)
{
    explain_registers(explanation);
    explain_stack(explanation);
    explain_functions(explanation);
    explain_shared(explanation);
    explain_constants(explanation);
    explain_parameters(explanation);
    explain_other_resources(explanation);
    explain_occupancy(explanation);
}

static void print_explanation(const struct explanation *explanation,
                              const struct tool_options *options)
{
    const struct subject *subject = explanation->program->subject;
    const struct program_function *function = explanation->function;
    const char *kind = function->is_kernel ? "kernel" : "function";
    if (!options->json) {
        printf("%s %s of %s, for sm_%u%s\n", function->is_kernel ? "Kernel" : "Function",
               shown_text(explanation->arena, function->label),
               shown_text(explanation->arena, subject->path), elf_view_sm(&subject->view),
               explains_executable(explanation) ? "" : ", not linked");
        print_parts(&explanation->parts);
        return;
    }
    json_t *object = json_made(json_object());
    json_object_set_new(object, "file", json_text(subject->path));
    json_object_set_new(object, "kind", json_text(kind));
    json_object_set_new(object, "name", json_text(function->label));
    json_parts(&explanation->parts, object);
    print_json(object);
}

static bool explain_subject(struct subject *subject, const struct tool_options *options,
                            struct arena *arena)
{
    struct program program;
    struct explanation explanation = {
        .program = &program, .parts = {.arena = arena}, .arena = arena};
    subject_label(subject, tool_shows_readable_names(options));
    program_read(&program, subject, arena);
    explanation.function = find_function(&program, options->files[1], arena);
    if (options->report && explanation.function)
        explanation.report = link_report_open(options->report, arena);
    bool is_ready = explanation.function && (explanation.report || !options->report);
    if (is_ready) {
        reach_from(&explanation.reach, &program, program_index(&program, explanation.function),
                   arena);
        explain_all(&explanation);
        print_explanation(&explanation, options);
    }
    link_report_close(explanation.report);
    return is_ready;
}

int command_explain(const struct tool_options *options)
{
    struct arena arena;
    struct subjects subjects;
    struct subject subject;
    tool_arena_init(&arena);
    subjects_open(&subjects, options->files[0], options);
    bool is_done = subjects_open_single(&subjects, &subject) == SUBJECT_OPEN &&
                   explain_subject(&subject, options, &arena);
    subject_close(&subject);
    subjects_close(&subjects);
    arena_destroy(&arena);
    return is_done ? TOOL_EXIT_OK : TOOL_EXIT_UNUSABLE;
}
