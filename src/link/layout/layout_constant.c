/* Copies the compiler-made constants of device functions to the constant banks of the kernels that
 * reach these functions.
 *
 * Requires: TEXTURES_PLACED (the sections for the slots of textures are created first),
 * CONSTANTS_PACKED (the size of bank 3). Makes: CONSTANTS_PLACED, the .nv.constant2.K of each
 * kernel, the offsets of compiler-made constants. Frozen after: nothing more.
 *
 * Earlier passes have assigned the offsets of user constants (bank 3) and of a kernel's own block.
 * The block of a device function (bank 2: literals, jump tables) must be in the bank of every
 * kernel that reaches the function. The block has the same offset in all these banks, because the
 * function's code contains the offset. The rules for size and order reproduce nvlink's output for
 * random programs for sm_75, sm_80 and sm_90 (nvlink 13.0.88). */
#include "link/layout/layout_constant.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/trace.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/layout/constant_blocks.h"
#include "link/layout/discarded_blocks.h"
#include "link/layout/layout_state.h"
#include "link/layout/trace_plan.h"
#include "link/merge/merge.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/release.h"
#include "link/model/symbols.h"
#include "link/model/views.h"
#include "link/resolve/resolve_state.h"
#include "warpld.h"

/* Where a block is placed in the banks of all kernels that reach the block's function. */
struct common_end {
    uint64_t end;       /* of the largest of these banks; the block is placed after it */
    uint64_t alignment; /* largest alignment of these banks and the block; all these banks get it */
};

/* Returns bank 2 of a kernel; NULL if it does not exist yet. Banks are found by name, because all
 * static kernels of one name share one bank. */
static const struct output_section *bank_of(const struct function *kernel)
{
    const struct rare_function *rare = function_rare(kernel);
    if (rare->first_constants || !rare->constants_name)
        return rare->first_constants;
    return rare->constants_name->section;
}

static struct common_end common_end(const struct kernel_sets *sets, const struct function *function)
{
    struct common_end common = {0, function_rare(function)->own_constants->alignment};
    EACH_KERNEL(id, sets->set[function->index])
    {
        const struct output_section *bank = bank_of(sets->kernels[id]);
        if (!bank)
            continue;
        if (bank->size > common.end)
            common.end = bank->size;
        if (bank->alignment > common.alignment)
            common.alignment = bank->alignment;
    }
    return common;
}

/* Appends the Mercury relocations of the jump tables in one part of a block to the relocation
 * section of the bank. The caller starts with the last part, because nvlink's relocation section
 * has the parts of a block in reverse order (observed). */
static void copy_relocations(link_context *link, struct input_object *object, uint32_t section,
                             struct output_section *bank)
{
    uint32_t relocations = views_relocations_of(object, section);
    if (!relocations)
        return;
    struct output_section *list = merge_relocation_list(link, bank, true);
    *ARENA_APPEND(&link->arena, output_add_rare(link, output_counterpart(list)), late_chunks) =
        merge_relocation_chunk(link, object, relocations);
}

/* Appends a part of a block to a bank, in both views. */
static void append_part(link_context *link, const struct chunk *part, struct output_section *bank,
                        uint64_t offset)
{
    struct input_object *object = part->object;
    struct chunk *chunk = output_add_chunk(link, bank);
    *chunk = *part;
    chunk->offset = offset;
    uint32_t other = output_counterpart(bank) ? object->other_view[part->input->index] : 0;
    if (!other)
        return;
    *output_add_chunk(link, output_counterpart(bank)) = chunk_of(object, other, offset);
    object->contributions[other] = (struct contribution){
        .section = output_counterpart(bank), .offset = offset, .set_aside = true};
}

static void copy_part(link_context *link, const struct chunk *part, struct output_section *bank,
                      uint64_t offset)
{
    append_part(link, part, bank, offset + part->offset);
    if (discarded_blocks_copy(part) == COPY_USED)
        part->object->contributions[part->input->index] = (struct contribution){
            .section = bank, .offset = offset + part->offset, .set_aside = true};
}

static void trace_block(link_context *link, const struct constant_block *block)
{
    const struct output_section *content = function_rare(block->function)->own_constants;
    if (trace_has(&link->trace, TRACE_CATEGORY_LAYOUT))
        TRACE(&link->trace, TRACE_BLOCK,
              arena_format(&link->arena, ".nv.constant%d.%s", block->bank,
                           symbol_name(block->function->symbol)),
              (unsigned long long)content->size);
}

static void trace_copy(link_context *link, const struct constant_block *block,
                       const struct function *kernel, const struct output_section *bank,
                       uint64_t offset)
{
    TRACE(&link->trace, TRACE_BLOCK_REACHES, block->function->index + 1, kernel->index + 1,
          symbol_name(kernel->symbol));
    TRACE(&link->trace, TRACE_BLOCK_PLACE, symbol_name(block->function->symbol),
          (unsigned long long)offset, bank->creation);
}

/* Sets the size of a bank, padded to its alignment. */
static void pad_bank(struct output_section *bank, uint64_t end, uint64_t alignment)
{
    bank->alignment = alignment;
    bank->size = align_up(end, alignment);
    struct output_section *counterpart = output_counterpart(bank);
    if (!counterpart)
        return;
    counterpart->alignment = bank->alignment;
    counterpart->size = bank->size;
}

/* Sets the value of symbol 0 to the offset of the last constants of a discarded copy, because
 * nvlink treats such constants as if they belonged to symbol 0 (observed). */
static void move_null_symbol(link_context *link, const struct output_section *content,
                             uint64_t offset)
{
    for (size_t i = 0; i < content->chunks_count; i++)
        if (discarded_blocks_copy(&content->chunks[i]) == COPY_DISCARDED)
            link->output.null_symbol_value = offset + content->chunks[i].offset;
}

/* True if the bank is too large and pass_deduplicate cannot make it smaller. The contents of such a
 * bank do not matter, because the link will end with an error. */
static bool is_beyond_help(const link_context *link, uint64_t end)
{
    return end > CONSTANT_BANK_LIMIT && link->layout->has_relocated_blocks;
}

/* Copies a block to the banks of the kernels that reach its function. Begins with the newest
 * kernel, because nvlink creates new banks in this order. Even an empty block extends each bank up
 * to the block's aligned offset. A block that serves as a bank itself (see leave_copied_block) is
 * not copied to itself. nvlink tries to copy such a block to itself, and never ends. */
static void copy_to_banks(link_context *link, const struct kernel_sets *sets,
                          const struct constant_block *block, struct common_end common)
{
    const struct output_section *content = function_rare(block->function)->own_constants;
    uint64_t offset = align_up(common.end, common.alignment);
    bool is_needed = !is_beyond_help(link, offset + content->size);
    struct chunk_list parts = discarded_blocks_parts(link, content);
    bool is_copied = false;
    EACH_KERNEL_BACKWARDS(id, sets->set[block->function->index])
    {
        struct output_section *bank = merge_constant_first(link, sets->kernels[id], block->bank);
        if (bank == content)
            continue;
        trace_copy(link, block, sets->kernels[id], bank, offset);
        for (size_t i = 0; is_needed && i < parts.count; i++)
            copy_part(link, &parts.first[i], bank, offset);
        pad_bank(bank, offset + content->size, common.alignment);
        is_copied = true;
    }
    if (is_copied)
        move_null_symbol(link, content, offset);
}

/* Copies the relocations of a block to the relocation sections of all banks. Must run after
 * copy_to_banks, because new relocation sections follow all new banks in the output, in the same
 * order. In each relocation section, the relocations of the last part of the block come first: see
 * copy_relocations. */
static void copy_all_relocations(link_context *link, const struct kernel_sets *sets,
                                 const struct constant_block *block)
{
    const struct output_section *content = function_rare(block->function)->own_constants;
    EACH_KERNEL_BACKWARDS(id, sets->set[block->function->index])
    {
        struct output_section *bank = merge_constant_first(link, sets->kernels[id], block->bank);
        for (size_t i = is_beyond_help(link, bank->size) ? 0 : content->chunks_count; i-- > 0;)
            copy_relocations(link, content->chunks[i].object, content->chunks[i].input->index,
                             bank);
    }
}

static void copy_block(link_context *link, const struct kernel_sets *sets,
                       const struct constant_block *block)
{
    if (!sets->set[block->function->index])
        return;
    trace_block(link, block);
    copy_to_banks(link, sets, block, common_end(sets, block->function));
    if (link->layout->has_relocated_blocks)
        copy_all_relocations(link, sets, block);
}

/* Creates a bank for a function that has used its own block as its bank until now. The new bank has
 * the alignment of the block.
 *
 * This concerns system functions that the program defines. Like a kernel, such a function has a
 * bank, to which the blocks of its callees are copied. At first, the bank is the function's own
 * block. After that block has been copied to the banks of the callers, nvlink creates a separate
 * bank for the function (observed). */
static void leave_copied_block(link_context *link, const struct constant_block *block)
{
    struct rare_function *rare = block->function->rare;
    if (!block->function->kernel || rare->first_constants != rare->own_constants)
        return;
    rare->first_constants = NULL;
    struct output_section *bank = merge_constant_first(link, block->function, block->bank);
    if (bank->alignment < rare->own_constants->alignment)
        bank->alignment = rare->own_constants->alignment;
}

/* If a symbol is in the block of a system function that the program defines, moves the symbol to
 * the function's new bank, or drops the symbol if this bank is empty (observed with
 * --preserve-relocs). Without this option, symbols of blocks are not in the output. */
static void move_to_bank(const struct input_object *object, uint32_t block, struct symbol *symbol)
{
    const struct function *function =
        input_section_function(object, &object->elf.sections[block], NULL)->function;
    if (symbol->dropped || !function->kernel || function->entry)
        return;
    struct output_section *bank =
        function_rare(function)->first_constants; /* see leave_copied_block */
    symbol->dropped = !bank->size;
    if (bank->size)
        symbol->section = bank;
}

/* Sets the sections and values of an object's symbols in blocks. pass_merge could not set them,
 * because the blocks had no offsets yet. */
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
        move_to_bank(object, input.section, symbol);
    }
}

/* Stores the bank's name in each kernel that has no bank yet and shares its name with a static
 * function. If that function creates the bank first, the kernel uses it, too: bank_of finds the
 * bank by the stored name. */
static void name_banks(link_context *link, const struct kernel_sets *sets)
{
    for (uint32_t id = 0; id < sets->kernel_count; id++) {
        struct function *kernel = sets->kernels[id];
        if (!function_rare(kernel)->first_constants && function_first_static(link, kernel))
            function_add_rare(link, kernel)->constants_name =
                merge_constant_name(link, CONSTANT_BANK_COMPILER, kernel);
    }
}

/* True if some block has a jump table in Mercury form. The relocations of such a table can apply at
 * one offset only. Therefore no block is copied into a block that serves as a bank and is copied in
 * turn: leave_copied_block creates separate banks first. nvlink copies blocks into such blocks
 * anyway (docs/quirks/known-differences.md). */
static bool are_relocated(const link_context *link)
{
    for (size_t i = 0; link_has_mercury(link) && i < link->merge->set_aside_count; i++) {
        const struct rare_function *rare = function_rare(link->merge->set_aside[i].function);
        for (size_t c = 0; c < rare->own_constants->chunks_count; c++) {
            const struct chunk *chunk = &rare->own_constants->chunks[c];
            if (views_relocations_of(chunk->object, chunk->input->index))
                return true;
        }
    }
    return false;
}

static void move_all_symbols(link_context *link)
{
    bool *concerned = ARENA_ARRAY(&link->arena, bool, link->objects_count);
    for (size_t i = 0; i < link->merge->set_aside_count; i++)
        concerned[link->merge->set_aside[i].function->symbol->object->position] = true;
    for (size_t i = 0; i < link->objects_count; i++)
        if (concerned[i])
            move_symbols(link->objects[i]);
}

static void copy_blocks(link_context *link)
{
    bool *interesting = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < link->merge->set_aside_count; i++)
        interesting[link->merge->set_aside[i].function->index] = true;
    struct kernel_sets sets;
    kernel_sets_find(link, interesting, &sets);
    name_banks(link, &sets);
    link->layout->has_relocated_blocks = are_relocated(link);
    for (size_t i = link->layout->has_relocated_blocks ? link->merge->set_aside_count : 0; i-- > 0;)
        leave_copied_block(link, &link->merge->set_aside[i]);
    for (size_t i = link->merge->set_aside_count; i-- > 0;) {
        copy_block(link, &sets, &link->merge->set_aside[i]);
        leave_copied_block(link, &link->merge->set_aside[i]);
    }
    move_all_symbols(link);
}

void layout_constant_drop_empty(link_context *link)
{
    for (size_t i = 0; i < link->output.banks_count; i++) {
        struct output_section *section = link->output.banks[i];
        section->dropped = section->nameless = section->size == 0;
        if (output_counterpart(section))
            output_counterpart(section)->dropped = section->dropped;
        if (output_counterpart(section) && section->dropped && section->rela)
            section->rela->nameless = true;
    }
}

/* Sets the symbols whose value is the size of the user constants. If there are no user constants,
 * these symbols keep their earlier value, which is not 0 (observed). */
static void set_constant_sizes(link_context *link)
{
    const struct output_section *constants = output_find(link, ".nv.constant3");
    for (size_t i = 0; constants && i < link->merge->constant_sizes_count; i++)
        link->merge->constant_sizes[i]->value = constants->size;
}

/* True if unused kernels are removed, by options or because host code does not refer to them. */
static bool removes_unused_kernels(const link_context *link)
{
    const struct warpld_options *options = &link->options;
    bool by_option = options->kernels_used_count || options->variables_used_count;
    return (by_option || link->resolve->has_host_references) && !link_is_for_debugger(link);
}

/* Sets the value of symbol 0 in a link that removes unused kernels. In such a link, nvlink merges
 * equal user constants, loses some of them (docs/quirks/constants.md), and changes symbol 0. warpld
 * merges no user constants, but sets the same value: the offset of the last input section that
 * nvlink compares with others. Its size and alignment decide whether nvlink does so
 * (constant_is_comparable). This value replaces the one that move_null_symbol has set. */
static void place_null_symbol(link_context *link)
{
    const struct output_section *constants = output_find(link, ".nv.constant3");
    for (size_t i = 0; constants && i < constants->chunks_count; i++) {
        const struct chunk *chunk = &constants->chunks[i];
        if (!chunk->object)
            continue;
        const struct elf_section *input = chunk->input;
        if (constant_is_comparable(input->size, elf_section_alignment(input)))
            link->output.null_symbol_value = chunk->offset;
    }
}

void pass_layout_constant(link_context *link)
{
    if (link->merge->constant_sizes_count)
        set_constant_sizes(link);
    discarded_blocks_fill(link);
    if (link->merge->set_aside_count)
        copy_blocks(link);
    layout_constant_drop_empty(link);
    if (removes_unused_kernels(link) && !link_follows(link, RELEASE_KEEPS_NULL_SYMBOL))
        place_null_symbol(link);
    trace_constant_offsets(link);
}
