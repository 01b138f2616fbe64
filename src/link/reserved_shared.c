/* Code that uses the system's shared memory although the link keeps none.
 *
 * Requires: what kernels inherit. Reports a function once for each of its records: first
 * those that kernels inherited, then those of the inputs, in reading order (observed with nvlink
 * 13.0.88 and random attributes). nvlink also reports removed functions, by
 * the name "(null)"; they are in no output and count for nothing here. */
#include <assert.h>

#include "link/link.h"

static void report_use(link_context *link, const struct symbol *symbol)
{
    const char *name = symbol->name->name.text;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_RESERVED_SHARED_USED, symbol->object->name,
                      name, name);
}

static void report_inherited(link_context *link, const struct function *kernel)
{
    const struct output_section *info = kernel->info;
    for (size_t i = 0; i < info->appended_records_count; i++)
        if (info->appended_records[i].code == EIATTR_RESERVED_SMEM_USED)
            report_use(link, kernel->symbol);
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
            report_use(link, symbol);
}

void reserved_shared(link_context *link)
{
    assert(link->stage == STAGE_LAID_OUT);
    if (!link->options.no_shared_reservation)
        return;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->info && link->functions[i]->info->owner == link->functions[i])
            report_inherited(link, link->functions[i]);
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; s < object->elf.section_count; s++)
            if (input_section_kind(&object->elf.sections[s]) == INPUT_INFO)
                report_records(link, object, &object->elf.sections[s]);
    }
}
