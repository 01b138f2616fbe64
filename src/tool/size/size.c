/* cubintool size; see size.h. */
#include "tool/size/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "base/terminal_text.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"
#include "tool/images/subjects.h"
#include "tool/link_report/link_report.h"
#include "tool/print/arrange.h"
#include "tool/print/print.h"
#include "tool/size/scope.h"
#include "tool/size/weigh.h"

enum { SIDES = 2 };

/* ---------------------------------------------------------------------------------------------- */
/* Keys                                                                                           */

typedef const char *key_function(const struct weight *weight, struct arena *arena);

static const char *space_key(const struct weight *weight, struct arena *arena)
{
    (void)arena;
    return weight->space;
}

static const char *section_key(const struct weight *weight, struct arena *arena)
{
    (void)arena;
    return weight->section;
}

/* Returns the function or variable that owns the bytes. For bytes without an owner, returns their
 * section. */
static const char *function_key(const struct weight *weight, struct arena *arena)
{
    if (weight->owner)
        return weight->owner;
    return *weight->section == '[' ? weight->section : arena_format(arena, "[%s]", weight->section);
}

static const char *namespace_key(const struct weight *weight, struct arena *arena)
{
    const char *scope = weight->owner ? scope_of(weight->owner, arena) : NULL;
    if (scope)
        return scope;
    return weight->owner ? "[no namespace]" : "[of no function or variable]";
}

static const char *template_key(const struct weight *weight, struct arena *arena)
{
    const char *name = weight->owner ? template_of(weight->owner, arena) : NULL;
    if (name)
        return name;
    return weight->owner ? "[no template]" : "[of no function or variable]";
}

static const char *debug_key(const struct weight *weight, struct arena *arena)
{
    (void)arena;
    bool is_debug = weight->space == SPACE_DEBUG ||
                    (!strncmp(weight->section, ".rel", 4) && strstr(weight->section, ".debug_"));
    return is_debug ? "debug information" : "everything else";
}

static const struct view {
    const char *name;
    key_function *key;
} VIEWS[] = {
#define SIZE_VIEW(name, key) {name, key},
#include "tool/size/views.def"
#undef SIZE_VIEW
};

enum { VIEW_TOTAL = sizeof VIEWS / sizeof *VIEWS, DEFAULT_VIEWS = 2 };

/* ---------------------------------------------------------------------------------------------- */
/* Sums                                                                                           */

struct sum {
    struct name name;
    uint64_t file[SIDES];
    uint64_t memory[SIDES];
    uint64_t count[SIDES]; /* number of weights */
};

struct sums {
    struct name_table table;
    struct arena *arena;
    uint64_t file[SIDES];
    uint64_t memory[SIDES];
    int sides;
};

static void sum_up(struct sums *sums, const struct weights *weights, key_function *key, int side)
{
    for (uint32_t i = 0; i < weights->all_count; i++) {
        const struct weight *weight = &weights->all[i];
        struct sum *sum = name_table_intern(&sums->table, key(weight, sums->arena));
        sum->file[side] += weight->file;
        sum->memory[side] += weight->memory;
        sums->file[side] += weight->file;
        sums->memory[side] += weight->memory;
        sum->count[side]++;
    }
}

static int64_t growth(const uint64_t values[SIDES])
{
    return (int64_t)values[1] - (int64_t)values[0];
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Compares sums for a descending order: by size for one file, by difference for two files. */
static int compare_sums(const void *a, const void *b)
{
    const struct sum *x = *(const struct sum *const *)a, *y = *(const struct sum *const *)b;
    uint64_t p = x->count[1] || y->count[1] ? magnitude(growth(x->file)) : x->file[0];
    uint64_t q = x->count[1] || y->count[1] ? magnitude(growth(y->file)) : y->file[0];
    if (p != q)
        return p > q ? -1 : 1;
    p = magnitude(growth(x->memory));
    q = magnitude(growth(y->memory));
    if (p != q)
        return p > q ? -1 : 1;
    return strcmp(x->name.text, y->name.text);
}

/* ---------------------------------------------------------------------------------------------- */
/* Rows                                                                                           */

static const char *percent(uint64_t part, uint64_t all, struct arena *arena)
{
    return arena_format(arena, "%.1f%%", all ? 100.0 * (double)part / (double)all : 0.0);
}

static void put_sizes(struct listing *listing, const struct sums *sums, const uint64_t file[SIDES],
                      const uint64_t memory[SIDES], const char *name)
{
    listing_add_row(listing, 1);
    put_number(listing, "file", file[0]);
    put_text(listing, "of_file", percent(file[0], sums->file[0], listing->arena));
    put_number(listing, "memory", memory[0]);
    put_text(listing, "name", name);
}

static const char *signed_text(int64_t value, struct arena *arena)
{
    return value ? arena_format(arena, "%+" PRId64, value) : "0";
}

static void put_differences(struct listing *listing, const uint64_t file[SIDES],
                            const uint64_t memory[SIDES], const char *name)
{
    listing_add_row(listing, 1);
    put_text(listing, "file_difference", signed_text(growth(file), listing->arena));
    put_number(listing, "old_file", file[0]);
    put_number(listing, "new_file", file[1]);
    put_text(listing, "memory_difference", signed_text(growth(memory), listing->arena));
    put_number(listing, "old_memory", memory[0]);
    put_number(listing, "new_memory", memory[1]);
    put_text(listing, "name", name);
}

static void put_row(struct listing *listing, const struct sums *sums, const uint64_t file[SIDES],
                    const uint64_t memory[SIDES], const char *name)
{
    if (sums->sides == 1)
        put_sizes(listing, sums, file, memory, name);
    else if (growth(file) || growth(memory))
        put_differences(listing, file, memory, name);
}

static void put_sums(struct listing *listing, const struct sums *sums)
{
    uint32_t count = sums->table.count;
    const struct sum **sorted = ARENA_ARRAY(listing->arena, const struct sum *, count);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = name_table_entry(&sums->table, i + 1);
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_sums);
    for (uint32_t i = 0; i < count; i++)
        put_row(listing, sums, sorted[i]->file, sorted[i]->memory, sorted[i]->name.text);
}

/* ---------------------------------------------------------------------------------------------- */
/* The command                                                                                    */

struct sizes {
    struct arena arena;
    struct subjects files[SIDES];
    struct subject subjects[SIDES];
    struct weights weights[SIDES];
    int sides;
    json_t *views; /* NULL for text and CSV */
    bool has_headings;
};

static bool show_view(struct sizes *sizes, const char *name, key_function *key,
                      const struct tool_options *options)
{
    static const char *const NAMES[] = {"name"};
    struct listing listing;
    struct sums sums = {.arena = &sizes->arena, .sides = sizes->sides};
    listing_init(&listing, &sizes->arena, LAYOUT_TABLE);
    name_table_init(&sums.table, &sizes->arena, sizeof(struct sum));
    for (int side = 0; side < sizes->sides; side++)
        sum_up(&sums, &sizes->weights[side], key, side);
    put_sums(&listing, &sums);
    if (!listing_arrange(&listing, options, NAMES, 1))
        return false;
    if (!options->csv)
        put_row(&listing, &sums, sums.file, sums.memory, "[total]");
    if (sizes->views) {
        json_object_set_new(sizes->views, name, json_listing(&listing));
    } else if (options->csv) {
        print_csv(&listing, "by", name, &sizes->has_headings);
    } else {
        printf("\nBy %s\n", name);
        print_listing(&listing, 2);
    }
    return true;
}

/* Replaces the weights of the file by the shares of the inputs in the linker's report. */
static bool read_report(struct sizes *sizes, const char *path)
{
    size_t count;
    struct link_report *report = link_report_open(path, &sizes->arena);
    if (!report)
        return false;
    const struct report_share *shares = link_report_shares(report, &sizes->arena, &count);
    sizes->weights[0] = (struct weights){.all = NULL};
    for (size_t i = 0; i < count; i++) {
        const char *input = shares[i].input;
        const char *name =
            input ? arena_copy_string(&sizes->arena, input, strlen(input)) : "[the linker]";
        *ARENA_APPEND(&sizes->arena, &sizes->weights[0], all) =
            (struct weight){shares[i].file, shares[i].memory, name, NULL, NULL};
    }
    link_report_close(report);
    return true;
}

static bool show_inputs(struct sizes *sizes, const struct tool_options *options)
{
    if (sizes->sides == 1 && options->report)
        return read_report(sizes, options->report) &&
               show_view(sizes, "input", section_key, options);
    tool_error("--by input needs one file, and --report with what warpld --report=FILE.json wrote");
    return false;
}

static bool show_views(struct sizes *sizes, const struct tool_options *options)
{
    if (options->by && !strcmp(options->by, "input"))
        return show_inputs(sizes, options);
    bool is_good = true;
    for (size_t i = 0; i < VIEW_TOTAL; i++) {
        bool is_wanted = options->by ? !strcmp(VIEWS[i].name, options->by) : i < DEFAULT_VIEWS;
        if (is_wanted)
            is_good &= show_view(sizes, VIEWS[i].name, VIEWS[i].key, options);
    }
    return is_good;
}

static bool is_view(const char *name)
{
    for (size_t i = 0; i < VIEW_TOTAL; i++)
        if (!strcmp(VIEWS[i].name, name))
            return true;
    return false;
}

static bool check_view(const struct tool_options *options)
{
    bool is_by_input = options->by && !strcmp(options->by, "input");
    if (options->report && !is_by_input) {
        tool_error("--report is for --by input");
        return false;
    }
    if (!options->by || is_view(options->by) || is_by_input)
        return true;
    tool_error("unknown value of --by: %s; expected space, section, function, namespace, template, "
               "debug or input",
               options->by);
    return false;
}

static void print_head(struct sizes *sizes)
{
    printf("File %s", terminal_text_show(&sizes->arena, sizes->subjects[0].path));
    if (sizes->sides == SIDES)
        printf(" -> %s", terminal_text_show(&sizes->arena, sizes->subjects[1].path));
    putchar('\n');
}

static bool show_all(struct sizes *sizes, const struct tool_options *options)
{
    json_t *object = options->json ? json_made(json_object()) : NULL;
    sizes->views = object;
    if (object)
        for (int i = 0; i < sizes->sides; i++)
            json_object_set_new(object, i ? "new_file" : "file",
                                json_text(sizes->subjects[i].path));
    else if (!options->csv)
        print_head(sizes);
    bool is_good = show_views(sizes, options);
    if (object && is_good)
        print_json(object);
    else
        json_decref(object);
    return is_good;
}

static bool read_side(struct sizes *sizes, int side, const struct tool_options *options)
{
    subjects_open(&sizes->files[side], options->files[side], options);
    if (subjects_open_single(&sizes->files[side], &sizes->subjects[side]) != SUBJECT_OPEN)
        return false;
    if (!subject_label(&sizes->subjects[side], tool_shows_readable_names(options),
                       LABELS_OF_TABLES))
        return false;
    weights_read(&sizes->weights[side], &sizes->subjects[side], &sizes->arena);
    return true;
}

int command_size(const struct tool_options *options)
{
    struct sizes sizes = {.sides = (int)options->file_count};
    bool is_good = check_view(options);
    if (!is_good)
        return TOOL_EXIT_UNUSABLE;
    tool_arena_init(&sizes.arena);
    for (int side = 0; side < sizes.sides; side++)
        is_good &= read_side(&sizes, side, options);
    if (is_good)
        is_good = show_all(&sizes, options);
    for (int side = 0; side < sizes.sides; side++) {
        subject_close(&sizes.subjects[side]);
        subjects_close(&sizes.files[side]);
    }
    arena_destroy(&sizes.arena);
    return is_good ? TOOL_EXIT_OK : TOOL_EXIT_UNUSABLE;
}
