/* Computes the memory that a kernel uses; see kernel_usage.h. */
#include "link/resources/kernel_usage.h"

#include <string.h>

#include "base/arena.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "link/layout/textures.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/resources/resources_state.h"

static uint64_t size_of(const struct output_section *section)
{
    return section && !section->dropped ? section->size : 0;
}

/* Like nvlink, counts only one section, which must have exactly this name (observed). So a second
 * section in global memory is not included, and all static kernels with the same name report the
 * sections of one of these kernels. */
uint64_t usage_of_section(link_context *link, const char *name)
{
    return size_of(output_find(link, name));
}

/* The first of the banks that are reported for a kernel. The bank of compiler-made constants is
 * reported for a kernel, too. All other banks are reported for the program (observed with sections
 * of every bank, both of a kernel and of the program). Bank 0 of a kernel has a separate field in
 * the report. */
enum { FIRST_KERNEL_BANK = 7 };

bool usage_is_bank_of_kernel(int bank)
{
    return bank == CONSTANT_BANK_COMPILER || bank >= FIRST_KERNEL_BANK;
}

/* Finds the bank by name. An exception is a kernel's bank in a relocatable output, where each
 * function has its own bank, and several of these banks can have the same name. */
uint64_t usage_of_bank(link_context *link, const struct function *kernel, int bank)
{
    const char *suffix = kernel ? symbol_name(kernel->symbol) : "";
    if (!kernel || !link->options.relocatable)
        return usage_of_section(link, arena_format(&link->arena, ".nv.constant%d%s%s", bank,
                                                   kernel ? "." : "", suffix));
    const struct output_section *own = function_rare(kernel)->own_constants;
    return own && own->bank == bank ? size_of(own) : 0;
}

/* True if the output has sections of static local memory. Most outputs have none; this function
 * then saves a search by name for each kernel. Skips sections with derived names (linked_names.h),
 * because sections of local memory have none. */
static bool link_has_local(link_context *link)
{
    static const char PREFIX[] = ".nv.local.";
    const struct output *output = &link->output;
    struct resources_state *state = link->resources;
    uint32_t first = output->rank_start[RANK_NOBITS], end = output->rank_start[RANK_NOBITS + 1];
    for (uint32_t i = first; !state->knows_local && !state->has_local && i < end; i++) {
        struct linked_name *name = output->ordered[i]->name;
        state->has_local = !name->prefix && !strncmp(name->name.text, PREFIX, strlen(PREFIX));
    }
    state->knows_local = true;
    return state->has_local;
}

uint64_t kernel_local_memory(link_context *link, const struct function *kernel)
{
    /* link_has_local needs the ordered sections. When the report for -v is made, the sections are
     * not ordered yet, so the name is searched for in any case. */
    if (link->output.ordered && !link_has_local(link))
        return 0;
    return usage_of_section(link,
                            arena_join(&link->arena, ".nv.local.", symbol_name(kernel->symbol)));
}

/* Returns 0 if the kernel's bank has no relocation for a slot of the type. Otherwise returns the
 * number of slots of this type in the link, except parameters of other kernels. Does not count the
 * relocations of the bank: if two kernels share a bank, it can have a slot twice, which nvlink
 * counts once. */
unsigned usage_of_slots(const link_context *link, const struct function *kernel, uint8_t type)
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

uint64_t kernel_shared_memory(const link_context *link, const struct function *kernel)
{
    uint64_t size = size_of(kernel->shared);
    bool has_reserved = size && link_has_mercury(link) && !link->options.relocatable;
    return has_reserved ? size - link_shared_reserved(link) : size;
}

uint64_t kernel_parameter_bank(const struct function *kernel)
{
    return size_of(kernel->parameters);
}

/* True if the output has a bank with this number. In most links, kernels have only banks of
 * parameters. Searches for other banks by name would take most of the time of a report. */
static bool link_has_bank(const link_context *link, int bank)
{
    enum { IS_KNOWN = 1 << CONSTANT_BANK_PARAMETERS };
    uint32_t present = link->resources->banks_present;
    for (size_t i = 0; !present && i < link->output.banks_count; i++)
        link->resources->banks_present |= UINT32_C(1) << link->output.banks[i]->bank;
    link->resources->banks_present |= IS_KNOWN;
    return link->resources->banks_present >> bank & 1;
}

uint64_t kernel_own_constants(link_context *link, const struct function *kernel)
{
    uint64_t size = kernel_parameter_bank(kernel);
    for (int bank = CONSTANT_BANK_PARAMETERS + 1; bank <= USAGE_LAST_BANK; bank++)
        if (usage_is_bank_of_kernel(bank) && link_has_bank(link, bank))
            size += usage_of_bank(link, kernel, bank);
    return size;
}

uint32_t kernel_parameter_size(const struct function *kernel)
{
    const struct output_section *info = kernel->info;
    for (size_t i = 0; info && i < info->records_count; i++)
        if (info->records[i].code == EIATTR_CBANK_PARAM_SIZE)
            return info->records[i].value;
    return 0;
}
