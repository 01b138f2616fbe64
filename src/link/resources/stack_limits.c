/* Reports kernels that need more stack than their limit.
 *
 * Requires: STACKED (the stack of each kernel), GRAPH_REPORTED (the call graph is reported before
 * these errors).
 * Makes: STACK_CHECKED, errors.
 * Frozen after: nothing more.
 *
 * The errors are in the order of the final symbol table, after all other errors about the program
 * (observed with nvlink 13.0.88 and objects that exceed several limits). The number of these other
 * errors is stored in errors_before_needs. nvlink compares sizes as unsigned numbers, and prints
 * them as signed numbers. An unknown stack exceeds every limit. */
#include "base/diagnostic.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/notes/limit_remedies.h"
#include "link/resources/resources_state.h"
#include "link/resources/stack_notes.h"

static void check(link_context *link, const struct function *kernel)
{
    if (!kernel || !kernel->kernel || !kernel->info || !kernel->stack_limit)
        return;
    const char *name = symbol_name(kernel->symbol);
    uint32_t size = kernel->stack_is_known ? kernel->stack_size : UINT32_MAX;
    if (size <= kernel->stack_limit)
        return;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_LIMIT, kernel->symbol->object->name,
                      name, name, (int)size, (int)kernel->stack_limit);
    stack_explain_limit(link, link->resources->stack_needs, kernel);
    limit_remedy_stack(link, kernel);
}

void pass_stack_limits(link_context *link)
{
    const struct output *output = &link->output;
    link->resources->errors_before_needs = link->diagnostics.errors;
    for (size_t i = 0; i < output->local_symbols_count; i++)
        check(link, output->local_symbols[i]->function);
    for (size_t i = 0; i < output->globals_count; i++)
        check(link, output->globals[i]->function);
}
