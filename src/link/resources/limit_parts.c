/* Lists the variables in a memory space that exceeds its limit; see limit_parts.h.
 *
 * Part of pass_limits. nvlink reports only the total size. */
#include "link/resources/limit_parts.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "link/layout/layout_state.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/notes/shown_name.h"
#include "link/resources/call_path.h"
#include "link/resources/resources_state.h"

enum { MOST_PARTS = 10, MOST_EXPLAINED = 10, MOST_USERS = 50 };

struct part {
    const char *name;
    const char *input;
    uint64_t size;
    uint64_t order; /* for parts of the same size: the part with the smaller number comes first */
    const struct shared_variable *shared; /* NULL if the part is not a shared variable */
};

struct parts {
    link_context *link;
    const struct call_search *calls; /* for shared memory: a search from the kernel; NULL for a
                                        bank */
    GROWING_ARRAY(struct part, list);
};

static struct part *add_part(struct parts *parts, const char *name,
                             const struct input_object *input, uint64_t size)
{
    link_context *link = parts->link;
    uint64_t order = parts->list_count;
    struct part *part = ARENA_APPEND(&link->arena, parts, list);
    *part = (struct part){name, input->name, size, order, NULL};
    return part;
}

static int larger_part_first(const void *a, const void *b)
{
    const struct part *first = a, *second = b;
    if (first->size != second->size)
        return first->size > second->size ? -1 : 1;
    return first->order < second->order ? -1 : 1;
}

/* Reports the calls that lead from the kernel to the nearest function that uses the variable.
 * Reports nothing if the kernel's own code uses the variable. */
static void report_way_to_use(const struct parts *parts, const struct shared_variable *variable)
{
    struct call_path path = {.steps = NULL};
    for (size_t i = 0; i < variable->users_count && i < MOST_USERS; i++) {
        struct call_path candidate = call_search_path(parts->calls, variable->users[i]->index);
        if (candidate.steps_count == 1)
            return;
        if (candidate.steps_count &&
            (!path.steps_count || candidate.steps_count < path.steps_count))
            path = candidate;
    }
    if (path.steps_count)
        diagnostic_report(&parts->link->diagnostics, DIAGNOSTIC_LIMIT_PART_USE, NULL, NULL,
                          call_path_text(parts->link, &path));
}

static void report_parts(struct parts *parts)
{
    link_context *link = parts->link;
    struct diagnostics *diagnostics = &parts->link->diagnostics;
    if (parts->list_count)
        qsort(parts->list, parts->list_count, sizeof *parts->list, larger_part_first);
    for (size_t i = 0; i < parts->list_count && i < MOST_PARTS; i++) {
        const struct part *part = &parts->list[i];
        diagnostic_report(diagnostics, DIAGNOSTIC_LIMIT_PART, part->input, part->name,
                          (unsigned long long)part->size, shown_name(&link->arena, part->name),
                          part->input);
        if (part->shared)
            report_way_to_use(parts, part->shared);
    }
    if (parts->list_count > MOST_PARTS)
        diagnostic_report(diagnostics, DIAGNOSTIC_LIMIT_MORE, NULL, NULL,
                          parts->list_count - MOST_PARTS);
}

bool limit_may_be_explained(link_context *link)
{
    return link->resources->limits_explained++ < MOST_EXPLAINED;
}

static struct part *add_symbol(struct parts *parts, const struct symbol *symbol)
{
    return add_part(parts, symbol_name(symbol), symbol->object, symbol->size);
}

static void add_shared(struct parts *parts, const struct shared_variable *variable)
{
    add_symbol(parts, variable->symbol)->shared = variable;
}

static bool shares(const struct shared_variable *variable, uint32_t id)
{
    return variable->used && !variable->is_extern && !variable->kernel &&
           kernel_set_has(kernel_union_set(&variable->kernels), id);
}

void limit_parts_of_shared(link_context *link, const struct function *kernel)
{
    if (!limit_may_be_explained(link))
        return;
    struct call_search calls;
    call_search_from(&calls, link, kernel);
    struct parts parts = {.link = link, .calls = &calls};
    const struct kernel_sets *users = &link->layout->shared_users;
    const struct shared_memory *memory = function_shared_memory(kernel);
    for (size_t i = 0; i < memory->variables_count; i++)
        add_shared(&parts, memory->variables[i]);
    uint32_t id = kernel_sets_number(users, kernel);
    for (size_t i = 0; id != NO_KERNEL && i < link->merge->shared_variables_count; i++)
        if (shares(link->merge->shared_variables[i], id))
            add_shared(&parts, link->merge->shared_variables[i]);
    report_parts(&parts);
}

static void add_variables_of(struct parts *parts, const struct input_object *object,
                             const struct output_section *bank)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        const struct symbol *symbol = object->symbols[i];
        if (symbol && symbol->section == bank && !symbol->dropped && object->copies[i] == COPY_USED)
            add_symbol(parts, symbol);
    }
}

void limit_parts_of_bank(link_context *link, const struct output_section *bank)
{
    if (!limit_may_be_explained(link))
        return;
    struct parts parts = {.link = link};
    for (size_t i = 0; i < link->objects_count; i++)
        add_variables_of(&parts, link->objects[i], bank);
    for (size_t i = 0; !parts.list_count && i < bank->chunks_count; i++) {
        const struct chunk *chunk = &bank->chunks[i];
        if (chunk->object)
            add_part(&parts, chunk->input->name, chunk->object, chunk->size);
    }
    report_parts(&parts);
}
