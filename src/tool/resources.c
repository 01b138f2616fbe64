/* cubintool resources; see resources.h. */
#include "tool/resources.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/terminal_text.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
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

/* Adds the stack of a function. For a kernel, this is the stack of the kernel and all functions
 * that it reaches; only executables have it. For any other function, it is the frame size. With
 * recursion, linkers write UINT32_MAX. */
static void put_stack(struct listing *listing, const struct program_function *function)
{
    struct amount stack = function->is_kernel ? function->minimum_stack : function->frame;
    if (stack.known && stack.value == UINT32_MAX)
        put_text(listing, "stack", "unlimited");
    else
        put_amount(listing, "stack", stack);
}

/* Adds a row with the resources of a function. Without a barrier record, it uses no barriers. */
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

struct resources_output {
    const struct tool_options *options;
    json_t *files; /* NULL for text and CSV */
    struct arena arena;
    /* The rows of all cubins, for CSV. They are printed at the end, because the heading line names
     * each bank that any of the cubins uses. */
    struct listing rows;
    bool is_first;
};

static void print_resources(struct resources_output *output, const char *path,
                            const struct listing *functions, const struct listing *totals)
{
    printf("%sFile %s\n\nKernels and functions (sizes in bytes)\n", output->is_first ? "" : "\n",
           terminal_text_show(&output->arena, path));
    print_listing(functions, 2);
    printf("\nTotals\n");
    print_listing(totals, 2);
}

static void add_file(json_t *files, const char *path, const struct listing *functions,
                     const struct listing *totals)
{
    json_t *file = json_made(json_object());
    json_object_set_new(file, "file", json_text(path));
    json_object_set_new(file, "functions", json_listing(functions));
    json_object_set_new(file, "totals", json_row(totals, &totals->rows[0]));
    json_array_append_new(files, file);
}

/* A subject_visitor (see subjects.h) that shows the resources of a cubin. */
static bool show_resources(void *context, const struct subject *subject)
{
    static const char *const NAMES[] = {"name"};
    struct resources_output *output = context;
    struct arena arena;
    struct program program;
    struct listing functions, totals;
    tool_arena_init(&arena);
    program_read(&program, subject, &arena);
    listing_init(&functions, &arena, LAYOUT_TABLE);
    list_functions(&program, &functions);
    listing_init(&totals, &arena, LAYOUT_PROPERTIES);
    list_totals(&program, &totals);
    bool is_arranged = listing_arrange(&functions, output->options, NAMES, 1);
    if (is_arranged && output->files)
        add_file(output->files, subject->path, &functions, &totals);
    else if (is_arranged && output->options->csv)
        listing_add_copies(&output->rows, &functions, "file", subject->path);
    else if (is_arranged)
        print_resources(output, subject->path, &functions, &totals);
    output->is_first = false;
    arena_destroy(&arena);
    return is_arranged;
}

int command_resources(const struct tool_options *options)
{
    struct resources_output output = {.options = options, .is_first = true};
    bool is_good = true, has_headings = false;
    tool_arena_init(&output.arena);
    listing_init(&output.rows, &output.arena, LAYOUT_TABLE);
    output.files = options->json ? json_made(json_array()) : NULL;
    for (size_t i = 0; i < options->file_count; i++)
        is_good &= subjects_visit(options->files[i], options, show_resources, &output);
    if (output.files)
        print_json(output.files);
    else if (options->csv)
        print_csv(&output.rows, NULL, "", &has_headings);
    arena_destroy(&output.arena);
    return is_good ? TOOL_EXIT_OK : TOOL_EXIT_UNUSABLE;
}
