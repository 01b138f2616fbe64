/* cubintool resources; see resources.h. */
#include "tool/resources.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/shown.h"
#include "tool/decode/subject.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/print/arrange.h"
#include "tool/print/print.h"
#include "tool/program/program.h"

/* ---------------------------------------------------------------------------------------------- */
/* Showing                                                                                        */

static void put_amount(struct listing *listing, const char *key, struct amount amount)
{
    if (amount.known)
        put_number(listing, key, amount.value);
    else
        put_absent(listing, key);
}

/* The stack of a kernel with all that it calls (in executables), or the frame of another function.
 * Linkers write UINT32_MAX when recursion makes the stack unknown. */
static void put_stack(struct listing *listing, const struct program_function *function)
{
    struct amount stack = function->is_kernel ? function->minimum_stack : function->frame;
    if (stack.known && stack.value == UINT32_MAX)
        put_text(listing, "stack", "unlimited");
    else
        put_amount(listing, "stack", stack);
}

/* A function without a barrier record uses no barrier. */
static void put_function(const struct program *program, const struct program_function *function,
                         struct listing *listing)
{
    struct amount none = {0};
    listing_add_row(listing, 1);
    put_text(listing, "kind", function->is_kernel ? "kernel" : "function");
    put_amount(listing, "registers", function->registers);
    put_amount(listing, "max_registers", function->is_kernel ? function->maximum_registers : none);
    put_stack(listing, function);
    put_amount(listing, "frame", function->frame);
    put_number(listing, "barriers", function->barriers.known ? function->barriers.value : 0);
    put_number(listing, "shared", function->shared);
    for (int bank = 0; bank < CONSTANT_BANK_COUNT; bank++)
        if (program->banks_used[bank])
            put_number(listing, arena_format(listing->arena, "constant%d", bank),
                       function->constants[bank]);
    put_number(listing, "parameters", function->parameters_count);
    put_amount(listing, "parameter_bytes", function->is_kernel ? function->parameter_bytes : none);
    put_number(listing, "code", function->code_size);
    put_text(listing, "name", function->label);
}

static void list_functions(const struct program *program, struct listing *listing)
{
    for (int kernels = 1; kernels >= 0; kernels--)
        for (size_t i = 0; i < program->defined_count; i++)
            if (program->functions[i].is_kernel == kernels)
                put_function(program, &program->functions[i], listing);
}

static void list_totals(const struct program *program, struct listing *listing)
{
    size_t kernels = 0;
    for (size_t i = 0; i < program->defined_count; i++)
        kernels += program->functions[i].is_kernel;
    listing_add_row(listing, 0);
    put_number(listing, "kernels", kernels);
    put_number(listing, "functions", program->defined_count - kernels);
    put_number(listing, "code", program->code);
    put_number(listing, "global", program->global + program->global_initialised);
    put_number(listing, "global_initialised", program->global_initialised);
    for (int bank = 0; bank < CONSTANT_BANK_COUNT; bank++)
        if (program->constants[bank])
            put_number(listing, arena_format(listing->arena, "constant%d", bank),
                       program->constants[bank]);
}

static void print_resources(const struct program *program, struct listing *functions,
                            struct listing *totals, const struct tool_options *options,
                            bool *has_headings, json_t *files)
{
    if (options->csv) {
        print_csv(functions, "file", program->subject->path, has_headings);
        return;
    }
    if (!files) {
        printf("File %s\n\nKernels and functions (sizes in bytes)\n",
               shown_text(functions->arena, program->subject->path));
        print_listing(functions, 2);
        printf("\nTotals\n");
        print_listing(totals, 2);
        return;
    }
    json_t *file = json_object();
    json_object_set_new(file, "file", json_text(program->subject->path));
    json_object_set_new(file, "functions", json_listing(functions));
    json_object_set_new(file, "totals", json_row(totals, &totals->rows[0]));
    json_array_append_new(files, file);
}

static bool show(const struct subject *subject, const struct tool_options *options,
                 bool *has_headings, json_t *files)
{
    static const char *const NAMES[] = {"name"};
    struct arena arena;
    struct program program;
    struct listing functions, totals;
    tool_arena_init(&arena);
    program_read(&program, subject, &arena);
    listing_init(&functions, &arena, LAYOUT_TABLE);
    list_functions(&program, &functions);
    listing_init(&totals, &arena, LAYOUT_PROPERTIES);
    list_totals(&program, &totals);
    bool is_arranged = listing_arrange(&functions, options, NAMES, 1);
    if (is_arranged)
        print_resources(&program, &functions, &totals, options, has_headings, files);
    arena_destroy(&arena);
    return is_arranged;
}

static bool show_image(struct subjects *subjects, const struct image *image,
                       const struct tool_options *options, bool first, bool *has_headings,
                       json_t *files)
{
    struct subject subject;
    bool is_shown = false;
    if (subjects_open_image(subjects, image, &subject, NULL, NULL) == SUBJECT_OPEN) {
        subject_label(&subject, tool_shows_readable_names(options));
        if (!first && !files && !options->csv)
            putchar('\n');
        is_shown = show(&subject, options, has_headings, files);
    }
    subject_close(&subject);
    return is_shown;
}

int command_resources(const struct tool_options *options)
{
    int status = TOOL_EXIT_OK;
    json_t *files = options->json ? json_array() : NULL;
    bool first = true, has_headings = false;
    for (size_t i = 0; i < options->file_count; i++) {
        struct subjects subjects;
        subjects_open(&subjects, options->files[i], options);
        const struct image *image;
        while ((image = subjects_next(&subjects))) {
            if (!show_image(&subjects, image, options, first, &has_headings, files))
                status = TOOL_EXIT_UNUSABLE;
            first = false;
        }
        if (subjects.is_unusable)
            status = TOOL_EXIT_UNUSABLE;
        subjects_close(&subjects);
    }
    if (files)
        print_json(files);
    return status;
}
