/* Reports what the program uses: the lines of -v.
 *
 * Requires: RELINKABLE (with -r: a kernel's own needs), STACKED and NEEDS_KNOWN (what kernels
 * need), RESERVATION_CHECKED (errors of pass_reserved_shared come first).
 * Makes: REPORTED, diagnostics of severity INFO. Their text and order are those of nvlink 13.0.88.
 * Frozen after: nothing more. */
#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/section_type.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/resources/kernel_usage.h"

/* Returns a text such as ", 80000 bytes cmem[3]" for each bank of the kernel, or of the program if
 * `kernel` is NULL. */
static const char *banks(link_context *link, const struct function *kernel)
{
    const char *text = "";
    for (int bank = CONSTANT_BANK_PARAMETERS + 1; bank <= USAGE_LAST_BANK; bank++) {
        if (usage_is_bank_of_kernel(bank) != (kernel != NULL))
            continue;
        uint64_t size = usage_of_bank(link, kernel, bank);
        if (size)
            text = arena_format(&link->arena, "%s, %llu bytes cmem[%d]", text,
                                (unsigned long long)size, bank);
    }
    return text;
}

static const char *slots(link_context *link, const struct function *kernel)
{
    static const struct {
        uint8_t type;
        const char *name;
    } KINDS[] = {{STT_CUDA_TEXTURE, "textures"},
                 {STT_CUDA_SURFACE, "surfaces"},
                 {STT_CUDA_SAMPLER, "samplers"}};
    const char *text = "";
    for (size_t i = 0; !link_has_mercury(link) && i < sizeof KINDS / sizeof *KINDS; i++) {
        unsigned count = usage_of_slots(link, kernel, KINDS[i].type);
        if (count)
            text = arena_format(&link->arena, "%s, %u %s", text, count, KINDS[i].name);
    }
    return text;
}

/* Returns a text with the sizes of the kernel's banks; empty from sm_100 on, where nvlink does not
 * report these sizes. */
static const char *constants(link_context *link, const struct function *kernel)
{
    if (link_has_mercury(link))
        return "";
    return arena_format(&link->arena, ", %llu bytes cmem[0]%s",
                        (unsigned long long)kernel_parameter_bank(kernel), banks(link, kernel));
}

static void report_kernel(link_context *link, const struct function *kernel)
{
    const char *name = symbol_name(kernel->symbol);
    const char *input = kernel->symbol->object->name;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_KERNEL, input, name, name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_USAGE, input, name,
                      kernel->needed_registers, kernel->needed_barriers, kernel->stack_size,
                      (unsigned long long)kernel_shared_memory(link, kernel),
                      constants(link, kernel),
                      (unsigned long long)kernel_local_memory(link, kernel), slots(link, kernel));
}

/* Reports the kernels in the reverse order of their code sections. Code sections are in the order
 * of the definitions, even if an earlier object refers to a kernel. */
static void report_kernels(link_context *link)
{
    for (size_t i = link->output.sections_count; i-- > 0;) {
        const struct output_section *section = link->output.sections[i];
        const struct function *owner = section->owner;
        if (owner && !owner->is_stub && owner->text == section && owner->entry && owner->info)
            report_kernel(link, owner);
    }
}

void pass_report(link_context *link)
{
    if (!link->options.verbose)
        return;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_MEMORY, NULL, NULL,
                      (unsigned long long)usage_of_section(link, ".nv.global") +
                          usage_of_section(link, ".nv.global.init"),
                      link_has_mercury(link) ? "" : banks(link, NULL));
    report_kernels(link);
}
