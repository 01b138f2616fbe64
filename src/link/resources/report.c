/* What the program uses, for people: the lines of -v.
 *
 * Requires: RELINKABLE (with -r: a kernel's own needs), STACKED and NEEDS_KNOWN (what kernels
 * need), RESERVATION_CHECKED (its errors come first).
 * Makes: REPORTED, info diagnostics in nvlink's words and order (kernels in the reverse of the
 * order in which they were read; nvlink 13.0.88).
 * Frozen after: nothing more. */
#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/section_type.h"
#include "link/layout/textures.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

static uint64_t size_of(const struct output_section *section)
{
    return section && !section->dropped ? section->size : 0;
}

/* Sections are counted by exact name: a second section in global memory is not counted, and static
 * kernels that share a name all report the sections of one (observed). */
static uint64_t size_of_name(link_context *link, const char *name)
{
    return size_of(output_find(link, name));
}

/* Which banks are counted for the program and which for a kernel (observed with sections of all
 * banks of both kinds); bank 0 of a kernel has its own field in the line. */
enum { FIRST_KERNEL_BANK = 7, LAST_KERNEL_BANK = 17 };

static bool is_bank_of_kernel(int bank)
{
    return bank == CONSTANT_BANK_COMPILER || bank >= FIRST_KERNEL_BANK;
}

/* In a relocatable output several sections share a name, one for each function. */
static uint64_t bank_size(link_context *link, const struct function *kernel, int bank)
{
    const char *suffix = kernel ? symbol_name(kernel->symbol) : "";
    if (!kernel || !link->options.relocatable)
        return size_of_name(link, arena_format(&link->arena, ".nv.constant%d%s%s", bank,
                                               kernel ? "." : "", suffix));
    const struct output_section *own = function_rare(kernel)->own_constants;
    return own && own->bank == bank ? size_of(own) : 0;
}

/* ", 80000 bytes cmem[3]" for each bank of the program, or of a kernel. */
static const char *banks(link_context *link, const struct function *kernel)
{
    const char *text = "";
    for (int bank = CONSTANT_BANK_PARAMETERS + 1; bank <= LAST_KERNEL_BANK; bank++) {
        if (is_bank_of_kernel(bank) != (kernel != NULL))
            continue;
        uint64_t size = bank_size(link, kernel, bank);
        if (size)
            text = arena_format(&link->arena, "%s, %llu bytes cmem[%d]", text,
                                (unsigned long long)size, bank);
    }
    return text;
}

static uint64_t local_memory(link_context *link, const struct function *kernel)
{
    return size_of_name(link, arena_join(&link->arena, ".nv.local.", symbol_name(kernel->symbol)));
}

/* If the kernel has any slot of the type, the number of all slots in the link except those of other
 * kernels' parameters. A bank may hold slots twice, where two kernels share it by name; nvlink
 * counts them once. */
static unsigned slots_of_type(const link_context *link, const struct function *kernel, uint8_t type)
{
    const struct output_section *bank = kernel->parameters;
    if (!bank || !output_rare(bank)->slot_rel)
        return 0;
    const struct rare_section *table = output_rare(output_rare(bank)->slot_rel);
    size_t found = 0;
    while (found < table->added_count && table->added[found].symbol->type != type)
        found++;
    return found == table->added_count ? 0 : textures_of_kernel(link, kernel, type);
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
        unsigned count = slots_of_type(link, kernel, KINDS[i].type);
        if (count)
            text = arena_format(&link->arena, "%s, %u %s", text, count, KINDS[i].name);
    }
    return text;
}

/* From sm_100 on nvlink reports no constants and does not count reserved memory. */
static const char *constants(link_context *link, const struct function *kernel)
{
    if (link_has_mercury(link))
        return "";
    return arena_format(&link->arena, ", %llu bytes cmem[0]%s",
                        (unsigned long long)size_of(kernel->parameters), banks(link, kernel));
}

static uint64_t shared_memory(const link_context *link, const struct function *kernel)
{
    uint64_t size = size_of(kernel->shared);
    bool has_reserved = size && link_has_mercury(link) && !link->options.relocatable;
    return has_reserved ? size - link_shared_reserved(link) : size;
}

static void report_kernel(link_context *link, const struct function *kernel)
{
    const char *name = symbol_name(kernel->symbol);
    const char *input = kernel->symbol->object->name;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_KERNEL, input, name, name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REPORT_USAGE, input, name,
                      kernel->needed_registers, kernel->needed_barriers, kernel->stack_size,
                      (unsigned long long)shared_memory(link, kernel), constants(link, kernel),
                      (unsigned long long)local_memory(link, kernel), slots(link, kernel));
}

/* Kernels are reported in the reverse order of their code sections: that of the definitions, not
 * that of first references in other objects. */
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
                      (unsigned long long)size_of_name(link, ".nv.global") +
                          size_of_name(link, ".nv.global.init"),
                      link_has_mercury(link) ? "" : banks(link, NULL));
    report_kernels(link);
}
