/* Records about registers for kernels that come without one.
 *
 * Part of properties. nvlink goes through the functions in the order in which their definitions
 * were read; each gives a record to the kernels that reach it and have none, the kernel read last
 * first, whichever of the two needs more. The only kernel of a link counts as reaching everything,
 * itself too. A kernel that none has given a record when its own turn comes has only the count in
 * the header of its code, which compilers leave empty from sm_90 on (800 links of one to six
 * kernels without records for sm_75 to 90a: nvlink 13.0.88). */
#include "link/register_limits.h"

#include "link/kernel_set.h"
#include "link/records.h"

/* nvlink ends with the first. */
void register_report_no_count(link_context *link, const struct function *function)
{
    const char *name = symbol_name(function->symbol);
    const char *input = function->symbol->object->name;
    if (link->diagnostics.fatals)
        return;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_REGISTER_COUNT, input, name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_REGISTER_COUNT_OF, input, name, name);
}

/* By function index: kernels without a record. */
struct lack {
    bool *of;
    struct kernel_sets sets;
};

static bool find_lacking(link_context *link, struct lack *lack)
{
    bool any = false;
    lack->of = ARENA_ARRAY(ARENA, bool, link->functions_count);
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        lack->of[i] = function->kernel && function->info && !function->is_stub &&
                      !function->has_register_count;
        any |= lack->of[i];
    }
    return any;
}

static void find_kernels(link_context *link, struct lack *lack)
{
    bool *interesting = ARENA_ARRAY(ARENA, bool, link->functions_count);
    for (size_t i = 0; i < link->functions_count; i++)
        interesting[i] = link->functions[i]->kept && link->functions[i]->register_count;
    kernel_sets_find(link, interesting, &lack->sets);
}

static void add_record(link_context *link, struct lack *lack, const struct function *kernel)
{
    if (!lack->of[kernel->index])
        return;
    lack->of[kernel->index] = false;
    record_append_about(link, link->output.info, EIATTR_REGCOUNT, kernel->symbol,
                        kernel->needed_registers);
}

static void visit(link_context *link, struct lack *lack, const struct function *function)
{
    const struct kernel_set *set = lack->sets.set[function->index];
    if (lack->of[function->index] && !function->register_count)
        register_report_no_count(link, function);
    else if (lack->of[function->index] && link->live_entry_count == 1)
        add_record(link, lack, function);
    if (!set || !function->register_count)
        return;
    EACH_KERNEL_BACKWARDS(id, set)
    {
        if (lack->sets.kernels[id] != function)
            add_record(link, lack, lack->sets.kernels[id]);
    }
}

void register_records(link_context *link)
{
    struct lack lack;
    if (!find_lacking(link, &lack))
        return;
    find_kernels(link, &lack);
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; s < object->elf.symbols[VIEW_NATIVE].count; s++) {
            const struct symbol *symbol = object->symbols[s];
            const struct function *function = symbol ? symbol->function : NULL;
            if (function && function->kept && input_copy_is_accepted(object, s))
                visit(link, &lack, function);
        }
    }
}
