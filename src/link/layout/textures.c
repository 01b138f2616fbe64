/* Assigns texture, sampler and surface references their slots in bank 0 of the kernels.
 *
 * Requires: MERGED (the references, and bank 0 of each kernel), CALLS_CHECKED (its warnings must be
 * reported before the error of this pass, which ends the link).
 * Makes: TEXTURES_PLACED, one table of slots.
 * Frozen after: SLOTS.
 *
 * The pass makes one table of 4-byte slots for the whole link. It appends the table to
 * .nv.constant0.K of every kernel K that reaches a reference. The table has the same offset in all
 * these banks. Each slot has a relocation, which the driver resolves. There are two exceptions: if
 * a kernel reaches only textures, the slots of samplers have no relocations in its bank, and if it
 * reaches only samplers, the slots of textures have none (75 combinations of uses).
 *
 * Order and offsets are exact in 400 random programs (sm_75 to sm_90, unified and independent mode,
 * up to 5 textures, 3 samplers, 3 surfaces in 3 objects; nvlink 13.0.88). */
#include "link/layout/textures.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/merge_sort.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/relocation.h"
#include "format/section_type.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

enum { SLOT_SIZE = 4, SLOT_TYPES = STT_CUDA_SURFACE - STT_CUDA_TEXTURE + 1 };
enum { R_CUDA_TEX_HEADER_INDEX = 6, R_CUDA_SAMP_HEADER_INDEX = 7, R_CUDA_SURF_HEADER_INDEX = 52 };
enum {
    R_CUDA_SAMP_HEADER_INDEX_0 = 101,
    R_MERCURY_TEX_HEADER_INDEX = 0x1000b,
    R_MERCURY_SAMP_HEADER_INDEX = 0x1000c,
    R_MERCURY_SURF_HEADER_INDEX = 0x1000d,
};

/* The comparison for order_slots: all slots are equal. The sort still changes their order, because
 * nvlink's sort, which merge_sort copies, splits and reverses lists. */
static int all_equal(const void *a, const void *b)
{
    (void)a;
    (void)b;
    return 0;
}

/* Orders the slots as nvlink does. Lists textures, then samplers, then surfaces, each from the last
 * symbol to the first, and then sorts this list with a comparison that finds all slots equal. */
static size_t order_slots(link_context *link, struct symbol **slots)
{
    size_t count = 0;
    for (int type = STT_CUDA_TEXTURE; type <= STT_CUDA_SURFACE; type++)
        for (size_t i = link->merge->textures_count; i-- > 0;)
            if (link->merge->textures[i]->type == type)
                slots[count++] = link->merge->textures[i];
    merge_sort(&link->arena, (void **)slots, count, all_equal, TIES_FROM_A);
    return count;
}

/* The kinds of symbols that code refers to. */
struct references {
    bool beyond_textures; /* the code refers to a sampler or a surface */
    bool beyond_samplers; /* the code refers to a texture or a surface */
};

static bool are_any(struct references references)
{
    return references.beyond_textures || references.beyond_samplers;
}

/* Finds the references in a list of relocations. Ignores relocation types that do not resolve to
 * the offset of a slot: they do not make a kernel need the table (observed with each type). */
static struct references find_references(const struct input_object *object,
                                         const struct elf_section *relocations)
{
    struct references found = {false, false};
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        const struct symbol *symbol = object->symbols[entry.symbol];
        const struct relocation_type *type = relocation_type_find_native(entry.type);
        if (!symbol || !symbol->is_texture || !type || type->number >= RELOCATION_MERCURY_BASE ||
            type->texture != TEXTURE_RESOLVED)
            continue;
        found.beyond_textures |= symbol->type != STT_CUDA_TEXTURE;
        found.beyond_samplers |= symbol->type != STT_CUDA_SAMPLER;
    }
    return found;
}

/* The references of each function's code, as in struct references. The arrays are indexed by
 * function->index. */
struct users {
    bool *beyond_textures;
    bool *beyond_samplers;
    struct references anywhere; /* the references of all code, including removed functions */
};

/* Finds the functions whose code refers to slots. Ignores references in unused copies. References
 * in removed functions are stored only in `anywhere`, which add_slots_of_kernels uses for a link
 * with one kernel. */
static void find_users(link_context *link, struct users *users)
{
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; object->has_textures && s < object->elf.section_count; s++) {
            const struct elf_section *section = &object->elf.sections[s];
            uint32_t index = 0;
            if (input_section_kind(section) != INPUT_RELOCATIONS ||
                !input_section_function(object, section, &index) ||
                object->copies[index] != COPY_USED)
                continue;
            struct references found = find_references(object, section);
            users->anywhere.beyond_textures |= found.beyond_textures;
            users->anywhere.beyond_samplers |= found.beyond_samplers;
            if (!are_any(found) || !input_function_is_used(object, index))
                continue;
            uint32_t function = object->symbols[index]->function->index;
            users->beyond_textures[function] |= found.beyond_textures;
            users->beyond_samplers[function] |= found.beyond_samplers;
        }
    }
}

enum { MERCURY_SLOTS_ALIGNMENT = 16 }; /* observed from sm_100 on */

/* Returns the offset of the first slot: the end of the largest bank, aligned to the largest
 * alignment of all banks. (Compilers write alignment 4. Tests used 1 to 4096 in patched objects.)
 * In a link without kernels, the result is the offset of the parameters from sm_100 on, and 0 for
 * earlier targets. */
static uint64_t first_slot(const link_context *link)
{
    bool has_mercury = link_has_mercury(link);
    uint64_t largest = has_mercury ? link->target->parameter_base : 0;
    uint64_t alignment = has_mercury ? MERCURY_SLOTS_ALIGNMENT : SLOT_SIZE;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct output_section *bank = link->functions[i]->parameters;
        if (bank && bank->size > largest)
            largest = bank->size;
        if (bank && bank->alignment > alignment)
            alignment = bank->alignment;
    }
    return align_up(largest, alignment);
}

/* Returns the relocation type of a slot. The native type for samplers differs between targets with
 * and without a Mercury view (observed). */
static uint32_t slot_relocation(const link_context *link, const struct symbol *symbol,
                                enum code_view view)
{
    bool native = view == VIEW_NATIVE;
    uint32_t sampler =
        link_has_mercury(link) ? R_CUDA_SAMP_HEADER_INDEX_0 : R_CUDA_SAMP_HEADER_INDEX;
    switch (symbol->type) {
    case STT_CUDA_TEXTURE:
        return native ? R_CUDA_TEX_HEADER_INDEX : R_MERCURY_TEX_HEADER_INDEX;
    case STT_CUDA_SAMPLER:
        return native ? sampler : R_MERCURY_SAMP_HEADER_INDEX;
    default:
        return native ? R_CUDA_SURF_HEADER_INDEX : R_MERCURY_SURF_HEADER_INDEX;
    }
}

/* Adds the attribute records that name the bank of the slots to the kernel, in the native view only
 * (observed from sm_100 on). A kernel whose slots have no relocations gets no such records. This
 * occurs if all slots are parameters of other kernels (three programs, with --preserve-relocs and
 * one named kernel). */
static void add_bank_records(link_context *link, struct function *kernel,
                             const struct output_section *list)
{
    if (!output_rare(list)->added_count)
        return;
    static const uint8_t CODES[] = {EIATTR_BINDLESS_TEXTURE_BANK, EIATTR_BINDLESS_SURFACE_BANK};
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
        *ARENA_APPEND(&link->arena, output_add_rare(link, kernel->info), tail_records) =
            (struct output_record){.format = INFO_FORMAT_BYTE, .code = CODES[i], .only = IN_NATIVE};
}

/* True if the symbol is a parameter of another kernel. A texture, sampler or surface that is a
 * parameter has a symbol in the code section of its kernel. */
static bool is_of_another(const struct function *kernel, const struct symbol *symbol)
{
    return symbol->section && symbol->section != kernel->text;
}

/* True if the kernel's bank has a relocation for the slot of this symbol. The bank has space for
 * all slots, but no relocations for parameters of other kernels. */
static bool has_relocation(const struct function *kernel, const struct symbol *symbol,
                           struct references reached)
{
    bool is_used = (reached.beyond_textures || symbol->type != STT_CUDA_SAMPLER) &&
                   (reached.beyond_samplers || symbol->type != STT_CUDA_TEXTURE);
    return is_used && !is_of_another(kernel, symbol);
}

/* Appends the slots to the bank of a kernel, with their relocations in descending order of offsets.
 * `is_refused`: the kernel exceeds a limit. */
static void append_slots(link_context *link, struct function *kernel, struct symbol **slots,
                         size_t count, struct references reached, bool is_refused)
{
    struct output_section *bank = kernel->parameters;
    struct output_section *list = output_slots(link, bank);
    bank->size = symbol_rare(slots[0])->texture_slot + SLOT_SIZE * count;
    bank->alignment = SLOT_SIZE; /* even if the alignment was larger (observed) */
    if (is_refused || bank->size > CONSTANT_BANK_LIMIT)
        return; /* an error will end the link, and there can be millions of slots and kernels */
    for (size_t i = count; i-- > 0;)
        if (has_relocation(kernel, slots[i], reached))
            *ARENA_APPEND(&link->arena, output_add_rare(link, list), added) =
                (struct added_relocation){symbol_rare(slots[i])->texture_slot,
                                          slot_relocation(link, slots[i], VIEW_NATIVE), slots[i]};
    if (!output_counterpart(bank))
        return;
    output_counterpart(bank)->size = SLOT_SIZE * count;
    add_bank_records(link, kernel, list);
    for (size_t i = count; i-- > 0;)
        if (has_relocation(kernel, slots[i], reached))
            *ARENA_APPEND(&link->arena, output_add_rare(link, output_counterpart(list)), added) =
                (struct added_relocation){symbol_rare(slots[i])->texture_slot -
                                              link->first_texture_slot,
                                          slot_relocation(link, slots[i], VIEW_MERCURY), slots[i]};
}

static bool reaches(const struct kernel_sets *sets, const struct function *kernel)
{
    return kernel_sets_number(sets, kernel) != NO_KERNEL;
}

/* The largest number of references of each type that the table of a kernel can have. On sm_75,
 * sm_80, sm_89 and sm_90, nvlink links a program with this number of references, and refuses a
 * program with one more reference. */
static const struct slot_limit {
    uint8_t type;
    uint32_t most;
    const char *name;
} SLOT_LIMITS[SLOT_TYPES] = {
    {STT_CUDA_TEXTURE, 256, "textures"},
    {STT_CUDA_SAMPLER, 32, "samplers"},
    {STT_CUDA_SURFACE, 32, "surfaces"},
};

/* Counts all references of a type in the link, except parameters of other kernels. The limits apply
 * to this number, because the kernel's table has the references of the whole link, not only those
 * that the kernel reaches. This was observed in 12 links of one to three objects, and in 18 links
 * of one or two kernels with parameters. */
uint32_t textures_of_kernel(const link_context *link, const struct function *kernel, uint8_t type)
{
    uint32_t count = 0;
    for (size_t i = 0; i < link->merge->textures_count; i++)
        count += link->merge->textures[i]->type == type &&
                 !is_of_another(kernel, link->merge->textures[i]);
    return count;
}

/* The numbers that textures_of_kernel returns, for all kernels and types. Counting the references
 * again for each kernel would take too long for a million references and kernels. */
struct slot_counts {
    uint32_t of_all[SLOT_TYPES];  /* references that are no parameters, by index in SLOT_LIMITS */
    uint32_t *of_own[SLOT_TYPES]; /* parameters, by index of their kernel */
};

static void count_slots(link_context *link, struct slot_counts *counts)
{
    for (size_t i = 0; i < SLOT_TYPES; i++)
        counts->of_own[i] = ARENA_ARRAY(&link->arena, uint32_t, link->functions_count);
    for (size_t i = 0; i < link->merge->textures_count; i++) {
        const struct symbol *symbol = link->merge->textures[i];
        const struct function *owner = symbol->section ? symbol->section->owner : NULL;
        size_t type = 0;
        while (type < SLOT_TYPES && SLOT_LIMITS[type].type != symbol->type)
            type++;
        assert(type < SLOT_TYPES);
        if (!symbol->section)
            counts->of_all[type]++;
        else if (owner && owner->text == symbol->section)
            counts->of_own[type][owner->index]++;
    }
}

/* Returns the first limit that the kernel exceeds; NULL if it exceeds none. */
static const struct slot_limit *find_broken_limit(const struct slot_counts *counts,
                                                  const struct function *kernel)
{
    for (size_t i = 0; i < SLOT_TYPES; i++)
        if (counts->of_all[i] + counts->of_own[i][kernel->index] > SLOT_LIMITS[i].most)
            return &SLOT_LIMITS[i];
    return NULL;
}

static void report_slot_limit(link_context *link, const struct function *kernel,
                              const struct slot_limit *limit)
{
    const char *name = symbol_name(kernel->symbol);
    const char *input = kernel->symbol->object->name;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_TEXTURE_LIMIT, input, name, limit->most,
                      limit->name, name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_TEXTURE_LIMIT_COUNT, input, name,
                      textures_of_kernel(link, kernel, limit->type), limit->name);
}

static int kernels_by_code(const void *a, const void *b)
{
    const struct function *first = *(const struct function *const *)a;
    const struct function *second = *(const struct function *const *)b;
    uint32_t creation = first->text ? first->text->creation : 0;
    uint32_t other = second->text ? second->text->creation : 0;
    if (creation != other)
        return creation < other ? -1 : 1;
    return first->creation < second->creation ? -1 : first->creation > second->creation;
}

/* Returns the kernels that have a parameter bank, in the order in which nvlink handles them. From
 * sm_100 on, this is the order of their code sections, which differs from the order of the
 * functions if an object refers to a kernel before its code is read (observed in 2 of 241 random
 * programs). */
static struct function **kernels_with_banks(link_context *link, size_t *count)
{
    struct function **kernels = ARENA_ARRAY(&link->arena, struct function *, link->functions_count);
    *count = 0;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->parameters)
            kernels[(*count)++] = link->functions[i];
    if (link_has_mercury(link) && *count)
        qsort(kernels, *count, sizeof *kernels, kernels_by_code);
    return kernels;
}

/* The result of adding slots to the kernels. */
struct slot_users {
    bool any;                             /* some kernel has slots */
    const struct function *newest_broken; /* the newest kernel that exceeds a limit, which the error
                                             names; NULL if there is none */
    const struct slot_limit *limit;       /* the first limit that this kernel exceeds */
};

/* Appends the slots to the banks of all kernels that reach a reference. */
static struct slot_users add_slots_of_kernels(link_context *link, const struct users *users,
                                              struct symbol **slots, size_t slot_count)
{
    struct kernel_sets beyond_textures;
    struct kernel_sets beyond_samplers;
    kernel_sets_find(link, users->beyond_textures, &beyond_textures);
    kernel_sets_find(link, users->beyond_samplers, &beyond_samplers);
    bool only_kernel = link->resolve->live_entry_count == 1;
    struct slot_users found = {.any = false};
    struct slot_counts counts = {.of_all = {0}};
    count_slots(link, &counts);
    size_t count = 0;
    struct function **kernels = kernels_with_banks(link, &count);
    for (size_t i = 0; i < count; i++) {
        struct function *kernel = kernels[i];
        bool is_only_kernel = only_kernel && kernel->kernel;
        struct references reached = {
            reaches(&beyond_textures, kernel) ||
                (is_only_kernel && users->anywhere.beyond_textures),
            reaches(&beyond_samplers, kernel) ||
                (is_only_kernel && users->anywhere.beyond_samplers),
        };
        if (!are_any(reached))
            continue;
        const struct slot_limit *limit = find_broken_limit(&counts, kernel);
        append_slots(link, kernel, slots, slot_count, reached, limit);
        found.any = true;
        bool is_newer = !found.newest_broken || kernel->creation > found.newest_broken->creation;
        if (is_newer && limit) {
            found.newest_broken = kernel;
            found.limit = limit;
        }
    }
    return found;
}

/* Orders the slots, assigns their offsets, and appends them to the banks of the kernels that need
 * them. */
void pass_textures(link_context *link)
{
    if (!link->merge->textures_count)
        return;
    struct users users = {ARENA_ARRAY(&link->arena, bool, link->functions_count),
                          ARENA_ARRAY(&link->arena, bool, link->functions_count),
                          {false, false}};
    find_users(link, &users);
    struct symbol **slots = ARENA_ARRAY(&link->arena, struct symbol *, link->merge->textures_count);
    size_t count = order_slots(link, slots);
    uint64_t base = first_slot(link);
    link->first_texture_slot = (uint32_t)base;
    for (size_t i = 0; i < count; i++)
        symbol_add_rare(link, slots[i])->texture_slot = (uint32_t)(base + SLOT_SIZE * i);
    struct slot_users slot_users = add_slots_of_kernels(link, &users, slots, count);
    if (slot_users.any && link_has_mercury(link))
        output_settle_slots(link);
    if (slot_users.newest_broken)
        report_slot_limit(link, slot_users.newest_broken, slot_users.limit);
}
