/* Appends REGCOUNT records for kernels that have none.
 *
 * Part of pass_properties. nvlink visits the functions in the order in which their definitions were
 * read. For each function, it appends records for the kernels that reach the function and have no
 * record yet, even if the function needs fewer registers than the kernel. It begins with the kernel
 * that was read last. In a link with one kernel, the kernel is treated as if it reached every
 * function, including itself.
 *
 * If a visited function is a kernel without a record, its register count is the one in the header
 * of its code section. If this count is 0, nvlink reports an error. Compilers write 0 from sm_90
 * on. All of this was observed with nvlink 13.0.88 in 800 links of one to six kernels without
 * records, for sm_75 to sm_90a. */
#include "link/resources/register_records.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "link/model/callgraph.h"
#include "link/model/input_object.h"
#include "link/model/records.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

/* Reports only the first error of this kind, because nvlink ends the link there. */
void register_report_no_count(link_context *link, const struct function *function)
{
    const char *name = symbol_name(function->symbol);
    const char *input = function->symbol->object->name;
    if (link->diagnostics.fatals)
        return;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_REGISTER_COUNT, input, name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_REGISTER_COUNT_OF, input, name, name);
}

/* The kernels that have no record yet. */
struct lack {
    bool *of; /* by function index: the function is a kernel without a record */
    /* By node of the call graph: all kernels that reach the node have a record, so find_callers
     * need not visit the callers of the node again. The time is therefore linear in the size of the
     * call graph, except with recursive kernels that have no record. */
    bool *is_covered;
    uint32_t *queue;
    GROWING_ARRAY(struct function *, found);
};

static bool find_lacking(link_context *link, struct lack *lack)
{
    bool any = false;
    lack->of = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        lack->of[i] = function->kernel && function->info && !function->is_stub &&
                      !function->has_register_count;
        any |= lack->of[i];
    }
    return any;
}

/* Collects the kernels that have no record and reach the function, except the function itself.
 *
 * The function can itself be a recursive kernel without a record. It then gets its record only when
 * another function of its cycle is visited. In this case, the nodes that this search visits are not
 * marked as covered. */
static void find_callers(link_context *link, struct lack *lack, const struct function *function)
{
    const struct callgraph *graph = &link->callgraph;
    uint32_t size = 0;
    bool is_left = false;
    lack->found_count = 0;
    if (!lack->is_covered[function->index])
        lack->queue[size++] = function->index;
    for (uint32_t next = 0; next < size; next++) {
        uint32_t node = lack->queue[next];
        lack->is_covered[node] = true;
        for (uint32_t i = graph->callers.start[node]; i < graph->callers.start[node + 1]; i++) {
            uint32_t caller = graph->callers.targets[i];
            bool lacks = caller < graph->function_count && lack->of[caller];
            is_left |= lacks && caller == function->index;
            if (lacks && caller != function->index) {
                lack->of[caller] = false;
                *ARENA_APPEND(&link->arena, lack, found) = link->functions[caller];
            }
            if (!lack->is_covered[caller])
                lack->queue[size++] = caller;
            lack->is_covered[caller] = true;
        }
    }
    for (uint32_t i = 0; is_left && i < size; i++)
        lack->is_covered[lack->queue[i]] = false;
}

static void add_record(link_context *link, const struct function *kernel)
{
    record_append_about(link, link->output.info, EIATTR_REGCOUNT, kernel->symbol,
                        kernel->needed_registers);
}

static int newest_first(const void *a, const void *b)
{
    const struct function *first = *(struct function *const *)a;
    const struct function *second = *(struct function *const *)b;
    return first->index > second->index ? -1 : first->index < second->index;
}

static void visit_without_record(link_context *link, struct lack *lack,
                                 const struct function *function)
{
    bool lacks = lack->of[function->index];
    if (!function->register_count) {
        if (lacks)
            register_report_no_count(link, function);
        return;
    }
    if (lacks && link->resolve->live_entry_count == 1) {
        lack->of[function->index] = false;
        add_record(link, function);
    }
    find_callers(link, lack, function);
    if (lack->found_count)
        qsort(lack->found, lack->found_count, sizeof *lack->found, newest_first);
    for (size_t i = 0; i < lack->found_count; i++)
        add_record(link, lack->found[i]);
}

void register_records(link_context *link)
{
    struct lack lack = {.found = NULL};
    if (!find_lacking(link, &lack))
        return;
    lack.is_covered = ARENA_ARRAY(&link->arena, bool, link->callgraph.node_count);
    lack.queue = ARENA_ARRAY(&link->arena, uint32_t, link->callgraph.node_count);
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; s < object->elf.symbols[VIEW_NATIVE].count; s++) {
            const struct symbol *symbol = object->symbols[s];
            const struct function *function = symbol ? symbol->function : NULL;
            if (function && function->kept && copy_is_accepted(object->copies[s]))
                visit_without_record(link, &lack, function);
        }
    }
}
