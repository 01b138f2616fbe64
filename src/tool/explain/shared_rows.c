/* Makes the rows of shared variables; see shared_rows.h. */
#include "tool/explain/shared_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "readable_name/readable_name.h"
#include "tool/decode/readable_label.h"
#include "tool/decode/subject.h"
#include "tool/explain/object_facts.h"
#include "tool/link_report/link_report.h"
#include "tool/program/paths.h"
#include "tool/program/program.h"
#include "tool/program/references.h"

struct shared_variable {
    uint64_t address;
    uint64_t bytes;
    const char *name;
    const char *user;
    const char *input;
    bool has_address; /* false if the file does not hold the address */
};

struct shared_variables {
    GROWING_ARRAY(struct shared_variable, all);
};

const char *shared_owner_name(const struct explanation *explanation)
{
    return elf_view_symbol(&explanation->program->subject->view, VIEW_NATIVE,
                           explanation->function->symbol)
        .name;
}

/* ---------------------------------------------------------------------------------------------- */
/* From the report                                                                                */

struct labelled_name {
    struct name name;
    const char *label;
};

/* Fills a table with the labels of the defined functions, by their mangled names. */
static void intern_defined(struct name_table *names, const struct program *program)
{
    for (uint32_t i = 0; i < program->defined_count; i++) {
        const struct program_function *function = &program->functions[i];
        const char *name =
            elf_view_symbol(&program->subject->view, VIEW_NATIVE, function->symbol).name;
        struct labelled_name *entry = name_table_intern(names, name);
        if (!entry->label)
            entry->label = function->label;
    }
}

/* Returns the label of the function with this mangled name. If the file defines no such function,
 * returns the name. */
static const char *label_of(const struct name_table *defined, const char *name)
{
    const struct labelled_name *entry = name ? name_table_find(defined, name) : NULL;
    return entry ? entry->label : name;
}

static void add_reported(const struct explanation *explanation, struct shared_variables *variables)
{
    size_t count;
    const char *section =
        arena_format(explanation->arena, ".nv.shared.%s", shared_owner_name(explanation));
    struct readable_names names = {.arena = explanation->arena};
    struct name_table defined;
    name_table_init(&defined, explanation->arena, sizeof(struct labelled_name));
    intern_defined(&defined, explanation->program);
    const struct report_variable *parts =
        link_report_parts(explanation->report, section, explanation->arena, &count);
    for (size_t i = 0; i < count; i++) {
        const struct report_variable *part = &parts[i];
        bool is_linkers = !part->input;
        *ARENA_APPEND(explanation->arena, variables, all) = (struct shared_variable){
            .address = part->address,
            .bytes = part->bytes,
            .name = part->name   ? readable_label(&names, part->name)
                    : is_linkers ? "(reserved for the system, or padding)"
                                 : "(several variables)",
            .user = label_of(&defined, part->user),
            .input = part->input,
            .has_address = true,
        };
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* From the symbols                                                                               */

static bool is_shared(const struct elf_symbol *symbol)
{
    return symbol->type != STT_SECTION && (symbol->other & STO_CUDA_SPACE) == STO_CUDA_SHARED;
}

/* Adds the variables that are symbols of the file: those in the kernel's own section, and others to
 * which the code of the kernel or of a callee refers. In relocatable files, the value of such a
 * symbol is an alignment, not an address. */
static void add_named(const struct explanation *explanation, struct shared_variables *variables)
{
    const struct program *program = explanation->program;
    const struct elf_view *view = &program->subject->view;
    uint32_t *users = references_read(program, &explanation->reach, explanation->arena);
    for (uint32_t i = 1; i < view->symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, i);
        if (!is_shared(&symbol) || symbol.section >= view->section_count)
            continue;
        bool is_own =
            program_owner(program, &view->sections[symbol.section]) == explanation->function;
        if (!is_own && users[i] == NO_FUNCTION)
            continue;
        bool is_placed = is_own && view->type != ET_REL;
        *ARENA_APPEND(explanation->arena, variables, all) = (struct shared_variable){
            .address = is_placed ? symbol.value : 0,
            .bytes = symbol.size,
            .name = symbol_label(program->subject, VIEW_NATIVE, i),
            .user = users[i] == NO_FUNCTION ? NULL : program->functions[users[i]].label,
            .has_address = is_placed,
        };
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* From the objects                                                                               */

struct reached_name {
    struct name name;
    const struct program_function *function;
};

struct seen_variable {
    struct name name;
    bool is_seen;
};

static void intern_reached(struct name_table *names, const struct explanation *explanation)
{
    const struct program *program = explanation->program;
    for (uint32_t i = 0; i < explanation->reach.count; i++) {
        const struct program_function *function = &program->functions[explanation->reach.found[i]];
        const char *name =
            elf_view_symbol(&program->subject->view, VIEW_NATIVE, function->symbol).name;
        if (!function->is_prototype)
            ((struct reached_name *)name_table_intern(names, name))->function = function;
    }
}

/* Adds the variables of objects to which a reached function refers. Each variable of an object is
 * added once, without an address. */
static void add_of_objects(const struct explanation *explanation,
                           struct shared_variables *variables)
{
    const struct object_facts *facts = explanation->objects;
    struct name_table reached, seen;
    name_table_init(&reached, explanation->arena, sizeof(struct reached_name));
    name_table_init(&seen, explanation->arena, sizeof(struct seen_variable));
    intern_reached(&reached, explanation);
    for (uint32_t i = 0; i < facts->variables_count; i++) {
        const struct object_variable *variable = &facts->variables[i];
        const struct reached_name *user = name_table_find(&reached, variable->function);
        if (!user)
            continue;
        struct seen_variable *one =
            name_table_intern(&seen, arena_format(explanation->arena, "%s\n%s", variable->object,
                                                  variable->variable));
        if (!one->is_seen)
            *ARENA_APPEND(explanation->arena, variables, all) =
                (struct shared_variable){.bytes = variable->size,
                                         .name = variable->variable,
                                         .user = user->function->label,
                                         .input = variable->object};
        one->is_seen = true;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Without names                                                                                  */

static uint64_t reserved_bytes(const struct explanation *explanation)
{
    size_t count;
    const struct architecture *all = architectures(&count);
    unsigned number = elf_view_sm(&explanation->program->subject->view);
    for (size_t i = 0; i < count; i++)
        if (all[i].number == number)
            return all[i].shared_reserved;
    return 0;
}

static void add_unnamed(const struct explanation *explanation, struct shared_variables *variables)
{
    uint64_t all = explanation->function->shared;
    uint64_t reserved = explains_executable(explanation) ? reserved_bytes(explanation) : 0;
    if (reserved > all)
        reserved = 0;
    const struct shared_variable parts[] = {
        {.bytes = reserved, .name = "(reserved for the system)", .has_address = true},
        {.address = reserved, .bytes = all - reserved, .name = "(variables)", .has_address = true},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].bytes)
            *ARENA_APPEND(explanation->arena, variables, all) = parts[i];
}

/* ---------------------------------------------------------------------------------------------- */
/* Rows                                                                                           */

static int compare_addresses(const void *a, const void *b)
{
    const struct shared_variable *x = a, *y = b;
    if (x->has_address != y->has_address)
        return y->has_address - x->has_address;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void put_optional(struct listing *rows, const char *key, const char *text)
{
    if (text)
        put_text(rows, key, text);
    else
        put_absent(rows, key);
}

/* Returns the name of `farthest` if it overlaps the variable, else NULL. Of the variables with
 * lower addresses, `farthest` is the one that ends at the highest address. */
static const char *overlapped(const struct shared_variable *farthest,
                              const struct shared_variable *variable)
{
    bool overlaps = farthest && variable->has_address && farthest->has_address &&
                    farthest->address + farthest->bytes > variable->address && variable->bytes;
    return overlaps ? farthest->name : NULL;
}

static void put_variable(struct listing *rows, const struct shared_variable *variable,
                         const struct shared_variable *farthest)
{
    listing_add_row(rows, 1);
    if (variable->has_address)
        put_hex(rows, "address", variable->address);
    else
        put_absent(rows, "address");
    put_number(rows, "size", variable->bytes);
    put_text(rows, "variable", variable->name);
    put_optional(rows, "used_by", variable->user);
    put_optional(rows, "input", variable->input);
    put_optional(rows, "overlaps", overlapped(farthest, variable));
}

void shared_rows_put(const struct explanation *explanation, struct listing *rows)
{
    struct shared_variables variables = {.all = NULL};
    if (explanation->report)
        add_reported(explanation, &variables);
    if (!variables.all_count)
        add_named(explanation, &variables);
    if (!variables.all_count && explanation->objects)
        add_of_objects(explanation, &variables);
    if (!variables.all_count)
        add_unnamed(explanation, &variables);
    if (variables.all_count)
        qsort(variables.all, variables.all_count, sizeof *variables.all, compare_addresses);
    const struct shared_variable *farthest = NULL;
    for (uint32_t i = 0; i < variables.all_count; i++) {
        const struct shared_variable *variable = &variables.all[i];
        put_variable(rows, variable, farthest);
        if (!farthest || variable->address + variable->bytes > farthest->address + farthest->bytes)
            farthest = variable;
    }
}
