/* What an output that is linked again needs instead of places.
 *
 * Requires: merge. Makes: which sections go because they are empty. Everything else that a final
 * link computes (places in shared and constant memory, texture slots, what kernels need of what they
 * reach) depends on all objects of the program, so it is left to that link: sections, symbols,
 * attributes and relocations stay as the inputs have them. nvlink 13.0.88 computes some of it
 * already here, and loses it (docs/quirks.md). */
#include <assert.h>

#include "link/link.h"

/* A bank that only losing copies had leaves nothing, a kernel's shared memory its name. */
static void drop_empty(link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        struct output_section *section = link->output.sections[i];
        if (section->bank >= 0)
            section->dropped = section->nameless = section->size == 0;
    }
    for (size_t i = 0; i < link->functions_count; i++) {
        struct output_section *shared = link->functions[i]->shared;
        if (shared && shared->size == 0)
            shared->dropped = true;
    }
}

/* What `-v` tells of a kernel is its own. */
static void own_needs(link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        function->needed_registers = function->register_count;
        function->needed_barriers = function->inherited[INHERITED_BARRIERS].total;
    }
}

void relocatable(link_context *link)
{
    assert(link->stage == STAGE_MERGED);
    drop_empty(link);
    own_needs(link);
    link->stage = STAGE_LAID_OUT;
}
