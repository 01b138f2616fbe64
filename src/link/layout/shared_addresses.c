/* Small functions that all files of pass_layout_shared call. They create a missing section, align
 * an address, and store an address. The head of layout_shared.c lists these files. */
#include "base/trace.h"
#include "link/layout/layout_shared.h"
#include "link/merge/merge_shared.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

void shared_add_section(link_context *link, struct function *kernel)
{
    if (!kernel->shared)
        merge_late_shared(link, kernel);
}

/* Begins with the newest kernel of the set. Visits no kernel if the previous call was for the same
 * set. Otherwise visits only kernels that may lack a section; usually there are none. */
void shared_add_sections(struct shared_layout *layout, const struct kernel_set *kernels)
{
    uint32_t id = NO_KERNEL;
    if (layout->complete == kernels)
        return;
    layout->complete = kernels;
    while ((id = kernel_set_previous_of_both(kernels, &layout->lacking, id)) != NO_KERNEL) {
        kernel_set_remove(&layout->lacking, id);
        shared_add_section(layout->link, shared_section_owner(layout->sets.kernels[id]));
    }
}

/* With --reserve-null-pointer, reserves one byte at address 0, so that the first variable has the
 * smallest aligned address that is not 0 (observed). */
uint64_t shared_next_address(const link_context *link, uint64_t end, uint64_t alignment)
{
    return align_up(end || !link->options.reserve_null_pointer ? end : 1, alignment);
}

void shared_place(link_context *link, struct shared_variable *variable, uint64_t offset)
{
    TRACE(&link->trace, TRACE_VARIABLE, symbol_name(variable->symbol), (unsigned long long)offset);
    variable->offset = offset;
    variable->symbol->shared = variable;
    variable->symbol->value = offset;
}
