/* Explains the occupancy for several block sizes, and the smaller amounts of a resource with which
 * more blocks would run; see explain.h. */
#include <inttypes.h>

#include "base/arena.h"
#include "format/architecture.h"
#include "format/elf_view.h"
#include "tool/decode/listing.h"
#include "tool/explain/explain.h"
#include "tool/explain/occupancy.h"
#include "tool/print/parts.h"
#include "tool/program/program.h"

enum { KB = 1024 };

/* Returns the size of the kernel's shared memory without the bytes that the system reserves. From
 * sm_90 on, the size in a linked file includes these bytes. */
static uint64_t own_shared(const struct explanation *explanation)
{
    size_t count;
    const struct architecture *all = architectures(&count);
    unsigned number = elf_view_sm(&explanation->program->subject->view);
    uint64_t shared = explanation->function->shared, reserved = 0;
    for (size_t i = 0; i < count && explains_executable(explanation); i++)
        if (all[i].number == number)
            reserved = all[i].shared_reserved;
    return shared > reserved ? shared - reserved : 0;
}

/* Returns the largest amount of the limiting resource with which more blocks run, such as "40
 * registers" or "9216 bytes shared". Returns NULL if no smaller amount lets more blocks run. */
static const char *better(const struct multiprocessor *multiprocessor,
                          const struct block_needs *needs, enum occupancy_limit limit,
                          struct arena *arena)
{
    uint64_t shared;
    uint32_t registers =
        limit == LIMIT_REGISTERS ? occupancy_better_registers(multiprocessor, needs) : 0;
    if (registers)
        return arena_format(arena, "%" PRIu32 " registers", registers);
    if (limit == LIMIT_SHARED && occupancy_better_shared(multiprocessor, needs, &shared))
        return arena_format(arena, "%" PRIu64 " bytes shared", shared);
    return NULL;
}

static uint32_t blocks_with_less(const struct multiprocessor *multiprocessor,
                                 const struct block_needs *needs, uint32_t registers,
                                 uint64_t shared)
{
    struct block_needs less = *needs;
    less.registers -= less.registers > registers ? registers : 0;
    less.shared -= less.shared > shared ? shared : less.shared;
    return occupancy_of(multiprocessor, &less).blocks;
}

static void put_block_size(struct listing *rows, const struct multiprocessor *multiprocessor,
                           const struct block_needs *needs)
{
    struct occupancy occupancy = occupancy_of(multiprocessor, needs);
    const char *next = better(multiprocessor, needs, occupancy.limit, rows->arena);
    listing_add_row(rows, 1);
    put_number(rows, "threads", needs->threads);
    put_number(rows, "blocks", occupancy.blocks);
    put_number(rows, "warps", occupancy.warps);
    put_number(rows, "percent", 100 * occupancy.warps / multiprocessor->warps);
    put_text(rows, "limited_by", occupancy_limit_name(occupancy.limit));
    put_number(rows, "1_register_less", blocks_with_less(multiprocessor, needs, 1, 0));
    put_number(rows, "1_KB_less", blocks_with_less(multiprocessor, needs, 0, KB));
    if (next)
        put_text(rows, "more_blocks_with", next);
    else
        put_absent(rows, "more_blocks_with");
}

static void put_sizes(struct explanation *explanation, struct listing *rows,
                      const struct multiprocessor *multiprocessor)
{
    static const uint32_t SIZES[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    const struct program_function *kernel = explanation->function;
    struct block_needs needs = {.registers = kernel->registers.value,
                                .shared = own_shared(explanation)};
    if (kernel->required_threads.known && kernel->required_threads.value) {
        needs.threads = kernel->required_threads.value;
        put_block_size(rows, multiprocessor, &needs);
        return;
    }
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        needs.threads = SIZES[i];
        if (!kernel->maximum_threads.known || SIZES[i] <= kernel->maximum_threads.value)
            put_block_size(rows, multiprocessor, &needs);
    }
}

/* Adds the table of occupancy if the function is a kernel whose registers are known. */
void explain_occupancy(struct explanation *explanation)
{
    const struct program_function *kernel = explanation->function;
    unsigned number = elf_view_sm(&explanation->program->subject->view);
    const struct multiprocessor *multiprocessor = multiprocessor_find(number);
    if (!kernel->is_kernel || !kernel->registers.known)
        return;
    struct part *part =
        parts_add(&explanation->parts, "occupancy", "Occupancy of a multiprocessor, by block size");
    if (!multiprocessor) {
        part_say(&explanation->parts, part, "the figures of sm_%u are not known", number);
        return;
    }
    part_say(&explanation->parts, part,
             "sm_%u has %u warps, %u blocks, 65536 registers and %u KB of shared memory; this is "
             "without dynamic shared memory",
             number, multiprocessor->warps, multiprocessor->blocks, multiprocessor->shared_kb);
    if (kernel->maximum_threads.known)
        part_say(&explanation->parts, part,
                 "it is compiled for blocks of %" PRIu32 " threads at most",
                 kernel->maximum_threads.value);
    if (!explains_executable(explanation))
        part_say(&explanation->parts, part, "of this file alone; the link may need more");
    put_sizes(explanation, &part->rows, multiprocessor);
}
