/* Constant banks.
 *
 * Requires: merge, the order of the call graph. Makes: the .nv.constant2.K of each kernel, the
 * offsets of compiler-made constants. Checks the size of banks.
 *
 * User constants (bank 3) and a kernel's own blocks have their places from the merge. Blocks that
 * the compiler made for a device function (bank 2: literals, jump tables) must be in the bank of
 * every kernel that reaches the function, at one offset for all of them, because the function's
 * code holds that offset. Rules of size and order fitted to and exact in random programs for sm_75,
 * 80 and 90 (nvlink 13.0.88). */
#include <assert.h>

#include "link/link.h"

enum { LARGEST_BANK = 0x10000 };

static const struct section_shape COPIES = {.type = SHT_PROGBITS,
                                            .flags = SHF_ALLOC | SHF_INFO_LINK,
                                            .alignment = 1,
                                            .rank = RANK_CONSTANT,
                                            .content = CONTENT_CHUNKS,
                                            .has_symbol = true};

void layout_constant_set_aside(link_context *link, struct input_object *object, uint32_t section,
                               struct function *function, enum copy_state copy)
{
    object->contributions[section].set_aside = true;
    if (copy == COPY_USED)
        *ARENA_APPEND(ARENA, link, set_aside) = (struct constant_block){object, function, section};
}

static struct output_section *bank_of(link_context *link, struct function *kernel,
                                      const struct elf_section *block)
{
    if (!kernel->compiler_constants) {
        const char *prefix =
            arena_format(ARENA, ".nv.constant%d.", section_type_constant_bank(block->type));
        kernel->compiler_constants = output_add_named_after(link, prefix, kernel, &COPIES);
        if (!kernel->compiler_constants->info)
            kernel->compiler_constants->info = kernel->text;
    }
    return kernel->compiler_constants;
}

static bool is_member(const struct kernel_sets *sets, const struct function *function, uint32_t id)
{
    const uint64_t *set = sets->set[function->index];
    return set && set[id / 64] >> id % 64 & 1;
}

/* What the banks of all kernels that reach a block have in common: the block goes behind everything
 * that any of them has so far, and all get the largest alignment among them and the block. */
struct common_place {
    uint64_t end;
    uint64_t alignment;
};

static struct common_place common_place(const struct kernel_sets *sets,
                                        const struct constant_block *block, uint64_t alignment)
{
    struct common_place place = {0, alignment};
    for (uint32_t id = 0; id < sets->kernel_count; id++) {
        const struct output_section *bank = sets->kernels[id]->compiler_constants;
        if (!bank || !is_member(sets, block->function, id))
            continue;
        if (bank->size > place.end)
            place.end = bank->size;
        if (bank->alignment > place.alignment)
            place.alignment = bank->alignment;
    }
    return place;
}

/* The newest kernel first: it decides the order in which new banks are created. Banks are filled up
 * to their alignment. */
static void copy_block(link_context *link, const struct kernel_sets *sets,
                       const struct constant_block *block)
{
    struct elf_section *input = &block->object->elf.sections[block->section];
    struct common_place place = common_place(sets, block, input->alignment);
    uint64_t offset = align_up(place.end, place.alignment);
    for (uint32_t id = sets->kernel_count; id-- > 0;) {
        if (!is_member(sets, block->function, id))
            continue;
        struct output_section *bank = bank_of(link, sets->kernels[id], input);
        *ARENA_APPEND(ARENA, bank, chunks) =
            (struct chunk){block->object, block->section, offset, input->size};
        bank->alignment = place.alignment;
        bank->size = align_up(offset + input->size, bank->alignment);
        block->object->contributions[block->section] = (struct contribution){bank, offset, true};
    }
}

/* Symbols of the block were placed before it had an offset. */
static void move_symbols(struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct symbol *symbol = object->symbols[i];
        if (!symbol || symbol->function || object->copies[i] != COPY_USED || symbol->section)
            continue;
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (input_section_kind(&object->elf.sections[input.section]) != INPUT_CONSTANT_ENTRY)
            continue;
        const struct contribution *home = &object->contributions[input.section];
        symbol->section = home->section;
        symbol->value = home->offset + input.value;
    }
}

static void copy_blocks(link_context *link)
{
    bool *interesting = ARENA_ARRAY(ARENA, bool, link->functions_count);
    for (size_t i = 0; i < link->set_aside_count; i++)
        interesting[link->set_aside[i].function->index] = true;
    struct kernel_sets sets;
    callgraph_kernel_sets(link, interesting, &sets);
    for (size_t i = link->set_aside_count; i-- > 0;)
        copy_block(link, &sets, &link->set_aside[i]);
    const struct input_object *last = NULL;
    for (size_t i = 0; i < link->set_aside_count; i++) {
        if (link->set_aside[i].object != last)
            move_symbols(link->set_aside[i].object);
        last = link->set_aside[i].object;
    }
}

/* A bank that only losing copies had gives no section; one that grew too large is an error. */
static void check_sizes(link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        struct output_section *section = link->output.sections[i];
        if (section->rank != RANK_CONSTANT)
            continue;
        section->dropped = section->size == 0;
        if (section->size > LARGEST_BANK)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_CONSTANT_LIMIT, NULL, NULL,
                              (unsigned long long)section->size, (unsigned long long)LARGEST_BANK);
    }
}

void layout_constant(link_context *link)
{
    assert(link->stage == STAGE_MERGED);
    if (link->set_aside_count)
        copy_blocks(link);
    check_sizes(link);
}
