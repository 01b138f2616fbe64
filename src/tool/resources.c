/* cubintool resources; see resources.h.
 *
 * Registers, stack and barriers come from the attributes; memory is the size of the sections that
 * belong to the function's code. Only the native view is read, because it has the sections that
 * count. */
#include "tool/resources.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/shown.h"
#include "tool/decode/subject.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/print/print.h"

/* A number that the file may lack. */
struct amount {
    uint32_t value;
    bool known;
};

struct function {
    const char *label;
    bool is_kernel;
    uint64_t code_size;
    struct amount registers;
    struct amount minimum_stack;
    struct amount frame;
    struct amount barriers;
    struct amount maximum_registers;
    struct amount parameter_bytes;
    uint32_t parameter_count;
    uint64_t shared;
    uint64_t constants[CONSTANT_BANK_COUNT];
};

struct resources {
    const struct subject *subject;
    struct arena arena;
    struct function *functions;
    size_t count;
    struct function **by_section; /* of code sections; NULL for all others */
    struct function **by_symbol;
    bool banks_used[CONSTANT_BANK_COUNT]; /* by a function */
    uint64_t global;
    uint64_t global_initialised;
    uint64_t constants[CONSTANT_BANK_COUNT]; /* of the whole file */
};

/* ---------------------------------------------------------------------------------------------- */
/* Collecting                                                                                     */

static bool is_native_code(const struct elf_section *section)
{
    return section->type == SHT_PROGBITS && elf_section_is_code(section);
}

static void collect_functions(struct resources *resources)
{
    const struct elf_view *view = &resources->subject->view;
    struct arena *arena = &resources->arena;
    resources->functions = ARENA_ARRAY(arena, struct function, view->section_count);
    resources->by_section = ARENA_ARRAY(arena, struct function *, view->section_count);
    resources->by_symbol = ARENA_ARRAY(arena, struct function *, view->symbols[VIEW_NATIVE].count);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!is_native_code(section))
            continue;
        uint32_t index = section->info & ELF_CODE_SYMBOL_MASK;
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, index);
        struct function *function = &resources->functions[resources->count++];
        function->label = symbol_label(resources->subject, VIEW_NATIVE, index);
        function->is_kernel = symbol.other & STO_CUDA_ENTRY;
        function->code_size = section->size;
        resources->by_section[i] = function;
        resources->by_symbol[index] = function;
    }
}

/* Reads a record that names its function. */
static void read_symbol_record(struct resources *resources, const struct info_record *record)
{
    struct function *function = resources->by_symbol[info_record_word(record, 0)];
    if (!function)
        return;
    struct amount amount = {info_record_word(record, 1), true};
    if (record->code == EIATTR_REGCOUNT)
        function->registers = amount;
    else if (record->code == EIATTR_MIN_STACK_SIZE)
        function->minimum_stack = amount;
    else
        function->frame = amount;
}

/* Reads a record about the function that owns the attribute section. */
static void read_own_record(struct function *function, const struct info_record *record)
{
    switch (record->code) {
    case EIATTR_NUM_BARRIERS:
        function->barriers = (struct amount){record->value & 0xff, true};
        break;
    case EIATTR_MAXREG_COUNT:
        function->maximum_registers = (struct amount){record->value, true};
        break;
    case EIATTR_CBANK_PARAM_SIZE:
        function->parameter_bytes = (struct amount){record->value, true};
        break;
    case EIATTR_KPARAM_INFO:
        function->parameter_count++;
        break;
    default:
        break;
    }
}

/* The function whose code the section belongs to, or NULL. sh_info was validated only where a flag
 * says that it names a section. */
static struct function *owning_function(const struct resources *resources,
                                        const struct elf_section *section)
{
    return resources->by_section[section_owner(&resources->subject->view, section)];
}

static void read_attributes(struct resources *resources, const struct elf_section *section)
{
    struct function *function = owning_function(resources, section);
    struct bytes rest = section_bytes(section);
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        bool by_symbol = record.code == EIATTR_REGCOUNT || record.code == EIATTR_MIN_STACK_SIZE ||
                         record.code == EIATTR_FRAME_SIZE;
        if (by_symbol)
            read_symbol_record(resources, &record);
        else if (function)
            read_own_record(function, &record);
    }
}

/* In executables only the name says which bank it is. */
static void read_memory(struct resources *resources, const struct elf_section *section)
{
    struct function *function = owning_function(resources, section);
    int bank = section_name_constant_bank(section->name);
    if (bank >= 0) {
        resources->constants[bank] += section->size;
        if (function) {
            function->constants[bank] += section->size;
            resources->banks_used[bank] = true;
        }
    } else if (section->type == SHT_CUDA_SHARED || !strncmp(section->name, ".nv.shared.", 11)) {
        if (function)
            function->shared += section->size;
    } else if (!strcmp(section->name, ".nv.global")) {
        resources->global += section->size;
    } else if (!strcmp(section->name, ".nv.global.init")) {
        resources->global_initialised += section->size;
    }
}

static void collect(struct resources *resources)
{
    const struct elf_view *view = &resources->subject->view;
    collect_functions(resources);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->type == SHT_CUDA_INFO)
            read_attributes(resources, section);
        else if (section->view == VIEW_NATIVE && section->flags & SHF_ALLOC)
            read_memory(resources, section);
    }
}

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
static void put_stack(struct listing *listing, const struct function *function)
{
    struct amount stack = function->is_kernel ? function->minimum_stack : function->frame;
    if (stack.known && stack.value == UINT32_MAX)
        put_text(listing, "stack", "unlimited");
    else
        put_amount(listing, "stack", stack);
}

/* A function without a barrier record uses no barrier. */
static void put_function(const struct resources *resources, const struct function *function,
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
        if (resources->banks_used[bank])
            put_number(listing, arena_format(listing->arena, "constant%d", bank),
                       function->constants[bank]);
    put_number(listing, "parameters", function->parameter_count);
    put_amount(listing, "parameter_bytes", function->is_kernel ? function->parameter_bytes : none);
    put_number(listing, "code", function->code_size);
    put_text(listing, "name", function->label);
}

static void list_functions(const struct resources *resources, struct listing *listing)
{
    for (int kernels = 1; kernels >= 0; kernels--)
        for (size_t i = 0; i < resources->count; i++)
            if (resources->functions[i].is_kernel == kernels)
                put_function(resources, &resources->functions[i], listing);
}

static void list_totals(const struct resources *resources, struct listing *listing)
{
    size_t kernels = 0;
    for (size_t i = 0; i < resources->count; i++)
        kernels += resources->functions[i].is_kernel;
    listing_add_row(listing, 0);
    put_number(listing, "kernels", kernels);
    put_number(listing, "functions", resources->count - kernels);
    put_number(listing, "global", resources->global + resources->global_initialised);
    put_number(listing, "global_initialised", resources->global_initialised);
    for (int bank = 0; bank < CONSTANT_BANK_COUNT; bank++)
        if (resources->constants[bank])
            put_number(listing, arena_format(listing->arena, "constant%d", bank),
                       resources->constants[bank]);
}

static void print_resources(const struct resources *resources, struct listing *functions,
                            struct listing *totals, const struct tool_options *options,
                            bool *has_headings, json_t *files)
{
    if (options->csv) {
        print_csv(functions, "file", resources->subject->path, has_headings);
        return;
    }
    if (!files) {
        printf("File %s\n\nKernels and functions (sizes in bytes)\n",
               shown_text(functions->arena, resources->subject->path));
        print_listing(functions, 2);
        printf("\nTotals\n");
        print_listing(totals, 2);
        return;
    }
    json_t *file = json_object();
    json_object_set_new(file, "file", json_text(resources->subject->path));
    json_object_set_new(file, "functions", json_listing(functions));
    json_object_set_new(file, "totals", json_row(totals, &totals->rows[0]));
    json_array_append_new(files, file);
}

static void show(const struct subject *subject, const struct tool_options *options,
                 bool *has_headings, json_t *files)
{
    struct resources resources = {.subject = subject};
    tool_arena_init(&resources.arena);
    collect(&resources);
    struct listing functions, totals;
    listing_init(&functions, &resources.arena, LAYOUT_TABLE);
    list_functions(&resources, &functions);
    listing_init(&totals, &resources.arena, LAYOUT_PROPERTIES);
    list_totals(&resources, &totals);
    print_resources(&resources, &functions, &totals, options, has_headings, files);
    arena_destroy(&resources.arena);
}

static bool show_image(struct subjects *subjects, const struct image *image,
                       const struct tool_options *options, bool first, bool *has_headings,
                       json_t *files)
{
    struct subject subject;
    bool is_open = subjects_open_image(subjects, image, &subject, NULL, NULL) == SUBJECT_OPEN;
    if (is_open) {
        subject_label(&subject, options->demangle);
        if (!first && !files && !options->csv)
            putchar('\n');
        show(&subject, options, has_headings, files);
    }
    subject_close(&subject);
    return is_open;
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
