/* Reports code that uses reserved shared memory although the option no_shared_reservation is set.
 *
 * Requires: NEEDS_KNOWN (what kernels inherit).
 * Makes: RESERVATION_CHECKED, errors.
 * Frozen after: nothing more.
 *
 * A RESERVED_SMEM_USED record says that a function uses reserved shared memory. There is one error
 * for each record: first for the records that kernels have inherited, and then for the records of
 * the inputs, in reading order (observed with nvlink 13.0.88 and random attributes). nvlink also
 * reports removed functions, with the name "(null)". warpld ignores these functions, because they
 * are not in the output. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

static void report_reserved_use(link_context *link, const struct symbol *symbol)
{
    const char *name = symbol_name(symbol);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_RESERVED_SHARED_USED, symbol->object->name,
                      name, name);
}

static int by_source(const void *a, const void *b)
{
    const struct function *first = *(struct function *const *)a;
    const struct function *second = *(struct function *const *)b;
    uint32_t x = function_rare(first)->reserved_shared_read;
    uint32_t y = function_rare(second)->reserved_shared_read;
    if (x != y)
        return x > y ? -1 : 1;
    return first->creation < second->creation ? -1 : 1;
}

/* Reports the kernels that have inherited a record.
 *
 * If a kernel reaches several functions with a record, it inherits the record that was read first.
 * The kernels are sorted by the inherited record, in the reverse of the reading order. Kernels that
 * inherit the same record are in the order of their creation. This was observed in 1,650 random
 * links of up to three files and six kernels, with indirect calls and recursion. */
static void report_inherited(link_context *link)
{
    struct {
        GROWING_ARRAY(struct function *, kernels);
    } found = {.kernels = NULL};
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        if (function_rare(function)->reserved_shared_read && function->info->owner == function)
            *ARENA_APPEND(&link->arena, &found, kernels) = function;
    }
    if (found.kernels_count)
        qsort(found.kernels, found.kernels_count, sizeof *found.kernels, by_source);
    for (size_t i = 0; i < found.kernels_count; i++)
        report_reserved_use(link, found.kernels[i]->symbol);
}

static void report_records(link_context *link, const struct input_object *object,
                           const struct elf_section *section)
{
    uint32_t index = 0;
    const struct symbol *symbol = input_section_function(object, section, &index);
    if (!symbol || !symbol->function || !input_function_is_used(object, index))
        return;
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record))
        if (record.code == EIATTR_RESERVED_SMEM_USED)
            report_reserved_use(link, symbol);
}

void pass_reserved_shared(link_context *link)
{
    if (!link->options.no_shared_reservation)
        return;
    report_inherited(link);
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; s < object->elf.section_count; s++)
            if (input_section_kind(&object->elf.sections[s]) == INPUT_INFO)
                report_records(link, object, &object->elf.sections[s]);
    }
}
