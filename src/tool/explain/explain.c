/* cubintool explain; see explain.h. */
#include "tool/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "format/elf_view.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"
#include "tool/decode/subject.h"
#include "tool/explain/object_facts.h"
#include "tool/images/subjects.h"
#include "tool/link_report/link_report.h"
#include "tool/print/print.h"
#include "tool/program/find_function.h"

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
               terminal_text_show(explanation->arena, function->label),
               terminal_text_show(explanation->arena, subject->path), elf_view_sm(&subject->view),
               explains_executable(explanation) ? "" : ", not linked");
        print_parts(&explanation->parts, options->limit);
        return;
    }
    json_t *object = json_made(json_object());
    json_object_set_new(object, "file", json_text(subject->path));
    json_object_set_new(object, "kind", json_text(kind));
    json_object_set_new(object, "name", json_text(function->label));
    json_parts(&explanation->parts, object);
    print_json(object);
}

enum { FIXED_FILES = 2 }; /* the cubin and the name */

static bool explain_subject(struct subject *subject, const struct tool_options *options,
                            struct arena *arena)
{
    struct program program;
    struct explanation explanation = {
        .program = &program, .parts = {.arena = arena}, .arena = arena};
    if (!subject_label(subject, tool_shows_readable_names(options), LABELS_OF_TABLES))
        return false;
    program_read(&program, subject, arena);
    explanation.function = program_find_function(&program, options->files[1], arena);
    struct object_facts objects;
    bool has_objects = options->file_count > FIXED_FILES;
    if (has_objects && !object_facts_read(&objects, options, arena))
        return false;
    if (has_objects)
        explanation.objects = &objects;
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
    return subjects_use_single(options, explain_subject);
}
