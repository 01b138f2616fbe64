/* What a memory space can hold.
 *
 * Requires: addresses. Reports kernels with too much shared memory and banks with too many
 * constants, in the order in which the sections were created, as nvlink 13.0.88 does. */
#include <assert.h>

#include "link/link.h"

enum { LARGEST_BANK = 0x10000 };

/* The bytes that the system reserves do not count (observed: the limit is 0xc000 on every target).
 */
static void check_shared(link_context *link, const struct output_section *section)
{
    const struct architecture *target = link->target;
    const char *kernel = section->owner->symbol->name->name.text;
    uint64_t size = section->owner->shared_end;
    if (size > target->shared_limit)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_SHARED_LIMIT,
                          section->owner->symbol->object->name, kernel, kernel,
                          (unsigned long long)size, (unsigned long long)target->shared_limit);
}

static void check_bank(link_context *link, const struct output_section *section)
{
    if (section->size > LARGEST_BANK)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_CONSTANT_LIMIT, NULL, NULL,
                          (unsigned long long)section->size, (unsigned long long)LARGEST_BANK);
}

void limits(link_context *link)
{
    assert(link->stage == STAGE_LAID_OUT);
    for (size_t i = 0; i < link->output.sections_count; i++) {
        const struct output_section *section = link->output.sections[i];
        if (section->rank == RANK_CONSTANT)
            check_bank(link, section);
        else if (section->rank == RANK_NOBITS && section->owner)
            check_shared(link, section);
    }
}
