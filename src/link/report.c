/* What the program uses, for people: the lines of -v.
 *
 * Requires: addresses and properties. Makes: info diagnostics, in nvlink's words and order (kernels
 * in the reverse of the order in which they were read; nvlink 13.0.88). */
#include <assert.h>
#include <string.h>

#include "link/link.h"

/* ", 80000 bytes cmem[3]" for each bank of the whole program. */
static const char *program_banks(link_context *link)
{
    const char *text = "";
    for (size_t i = 0; i < link->output.sections_count; i++) {
        const struct output_section *section = link->output.sections[i];
        if (section->rank == RANK_CONSTANT && !section->owner && !section->dropped)
            text = arena_format(ARENA, "%s, %llu bytes cmem[%s]", text,
                                (unsigned long long)section->size,
                                section->name->name.text + strlen(".nv.constant"));
    }
    return text;
}

static uint64_t program_memory(const link_context *link)
{
    uint64_t size = 0;
    for (size_t i = 0; i < link->output.sections_count; i++) {
        const struct output_section *section = link->output.sections[i];
        bool global = section->rank == RANK_DATA || section == link->output.global;
        if (global && !section->dropped)
            size += section->size;
    }
    return size;
}

static uint64_t size_of(const struct output_section *section)
{
    return section && !section->dropped ? section->size : 0;
}

/* Found by name, so that static kernels of one name all have that of one (observed). */
static const char *compiler_bank(link_context *link, const struct function *kernel)
{
    const char *name = arena_format(ARENA, ".nv.constant2.%s", kernel->symbol->name->name.text);
    uint64_t size = size_of(link_intern(link, name)->section);
    return size ? arena_format(ARENA, ", %llu bytes cmem[2]", (unsigned long long)size) : "";
}

static unsigned slots_of_type(const link_context *link, uint8_t type)
{
    unsigned count = 0;
    for (size_t i = 0; i < link->textures_count; i++)
        count += link->textures[i]->type == type;
    return count;
}

/* A kernel with the slot table has all slots of the link. */
static const char *slots(link_context *link, const struct function *kernel)
{
    static const struct {
        uint8_t type;
        const char *name;
    } KINDS[] = {{STT_CUDA_TEXTURE, "textures"},
                 {STT_CUDA_SURFACE, "surfaces"},
                 {STT_CUDA_SAMPLER, "samplers"}};
    const char *text = "";
    if (!kernel->parameters || !kernel->parameters->rel || !kernel->parameters->rel->added_count)
        return text;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        unsigned count = slots_of_type(link, KINDS[i].type);
        if (count)
            text = arena_format(ARENA, "%s, %u %s", text, count, KINDS[i].name);
    }
    return text;
}

static void report_kernel(link_context *link, const struct function *kernel)
{
    const char *name = kernel->symbol->name->name.text;
    const char *input = kernel->symbol->object->name;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_KERNEL, input, name, name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_USAGE, input, name,
                      kernel->needed_registers, kernel->needed_barriers, kernel->stack_size,
                      (unsigned long long)size_of(kernel->shared),
                      (unsigned long long)size_of(kernel->parameters), compiler_bank(link, kernel),
                      slots(link, kernel));
}

void report(link_context *link)
{
    assert(link->stage == STAGE_LAID_OUT);
    if (!link->options.verbose)
        return;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_MEMORY, NULL, NULL,
                      (unsigned long long)program_memory(link), program_banks(link));
    for (size_t i = link->functions_count; i-- > 0;)
        if (link->functions[i]->kernel && link->functions[i]->info)
            report_kernel(link, link->functions[i]);
}
