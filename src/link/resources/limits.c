/* Checks the sizes of memory spaces against their limits.
 *
 * Requires: RELINKABLE, TEXTURES_PLACED, GLOBALS_PLACED, SHARED_PLACED, CONSTANTS_FIT and
 * UNIFIED_PLACED (sizes of memory).
 * Makes: SPACES_CHECKED, errors.
 * Frozen after: MEMORY_SIZES.
 *
 * Reports kernels with too much shared memory, banks with too many constants, and sections that no
 * memory can hold. Visits sections in the order of their creation, as nvlink 13.0.88 does. */
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/notes/limit_remedies.h"
#include "link/resources/limit_parts.h"

/* Returns the size of a kernel's shared memory that is compared with the limit. The bytes that the
 * system reserves are not included (observed to the byte on each target).
 *
 * With no_shared_reservation, the system reserves no bytes, and the program may use the bytes that
 * are otherwise reserved. Up to sm_90, it may use them in addition to the limit, as in nvlink
 * 13.0.88. From sm_100 on, they count towards the limit. */
static uint64_t counted_size(const link_context *link, const struct output_section *section)
{
    uint64_t size = function_shared_memory(section->owner)->end,
             reserved = link->target->shared_reserved;
    if (!link->options.no_shared_reservation || link_has_mercury(link))
        return size;
    return size > reserved ? size - reserved : 0;
}

/* Returns the limit of a kernel's shared memory. Without extended_shared, the limit for outputs of
 * ABI 7 is the same on all targets, as in nvJitLink 12.9, even on sm_90a. */
static uint64_t shared_limit(const link_context *link)
{
    enum { LIMIT_12 = 0xc000 };
    if (link->options.extended_shared)
        return link->target->extended_limit;
    return link_writes_abi_12(link) ? LIMIT_12 : link->target->shared_limit;
}

static void check_shared(link_context *link, const struct output_section *section)
{
    uint64_t limit = shared_limit(link);
    const char *kernel = symbol_name(section->owner->symbol);
    uint64_t size = counted_size(link, section);
    if (size <= limit)
        return;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_SHARED_LIMIT,
                      section->owner->symbol->object->name, kernel, kernel,
                      (unsigned long long)size, (unsigned long long)limit);
    limit_parts_of_shared(link, section->owner);
    limit_remedy_shared(link, section->owner, size, limit);
}

static void report_bank(link_context *link, const struct output_section *section)
{
    unsigned long long size = section->size, most = CONSTANT_BANK_LIMIT;
    if (!section->owner) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_CONSTANT_LIMIT, NULL, NULL, size, most);
        return;
    }
    const struct symbol *kernel = section->owner->symbol;
    const char *name = symbol_name(kernel);
    if (section->bank == CONSTANT_BANK_COMPILER)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMPILER_CONSTANT_LIMIT,
                          kernel->object->name, name, name);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_KERNEL_CONSTANT_LIMIT,
                          kernel->object->name, name, name, size, most);
}

static void check_bank(link_context *link, const struct output_section *section)
{
    if (section->size <= CONSTANT_BANK_LIMIT)
        return;
    report_bank(link, section);
    limit_parts_of_bank(link, section);
    if (!section->owner || section->bank != CONSTANT_BANK_COMPILER)
        limit_remedy_bank(link, section);
}

/* Refuses a section that is too large for warpld's reader, so that warpld can read all of its
 * outputs. nvlink has no such limit. */
static void check_memory(link_context *link, const struct output_section *section)
{
    if (section->size >= ELF_LARGEST_MEMORY)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_MEMORY_LIMIT, NULL, NULL,
                          section_name(link, section), (unsigned long long)section->size,
                          (unsigned long long)ELF_LARGEST_MEMORY - 1);
}

/* Compares a section with the limit of its memory space. With -r, nvlink 13.0.88 does not check
 * shared memory or the banks of single kernels. It checks banks that all kernels share even then,
 * although a final link could remove some of their constants. */
static void check_section(link_context *link, const struct output_section *section)
{
    bool is_joined = link->options.relocatable;
    if (section->bank >= 0 && section->rank == RANK_CONSTANT) {
        if (!is_joined || !section->owner)
            check_bank(link, section);
    } else if (!is_joined && section->owner && section == section->owner->shared) {
        check_shared(link, section);
    } else {
        check_memory(link, section);
    }
}

void pass_limits(link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++)
        check_section(link, link->output.sections[i]);
}
