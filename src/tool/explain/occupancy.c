/* Computes occupancy as the CUDA Occupancy Calculator does; see occupancy.h.
 *
 * The number of registers of a warp is rounded up to a multiple of 256 (CUDA C++ Best Practices
 * Guide, "Calculating Occupancy"). A multiprocessor consists of parts, each with its share of the
 * registers, and a warp runs in one part. Shared memory is assigned in units of 256 bytes, or of
 * 128 bytes from compute capability 8.0 on. From 8.0 on the system also reserves 1 KB for each
 * block (Programming Guide, "Shared Memory" of 8.x and 9.0). The units are those of the
 * calculator's sheet "GPU Data". */
#include "tool/explain/occupancy.h"

#include <stddef.h>

enum {
    WARP_THREADS = 32,
    REGISTER_UNIT = 256,
    BLOCK_WARPS_UNIT = 4, /* the number of warps of a block is rounded up to a multiple of this */
    REGISTERS = 64 << 10,
    FIRST_WITH_RESERVED_SHARED = 80,
    RESERVED_SHARED = 1024,
};

const struct multiprocessor *multiprocessor_find(unsigned number)
{
    static const struct multiprocessor ROWS[] = {
#define MULTIPROCESSOR(number, warps, blocks, shared, block_registers, parts)                      \
    {number, warps, blocks, shared, block_registers, parts},
#include "tool/explain/multiprocessor.def"
#undef MULTIPROCESSOR
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (ROWS[i].number == number)
            return &ROWS[i];
    return NULL;
}

static uint64_t rounded_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t warps_of(const struct block_needs *needs)
{
    return (needs->threads + WARP_THREADS - 1) / WARP_THREADS;
}

/* Returns the number of blocks for which the registers suffice; 0 if one block needs more than it
 * may use. On compute capabilities 5.3 and 6.2, a block may use only half of the registers. */
static uint64_t blocks_by_registers(const struct multiprocessor *multiprocessor,
                                    const struct block_needs *needs)
{
    if (!needs->registers)
        return UINT32_MAX;
    uint64_t of_warp = rounded_up((uint64_t)needs->registers * WARP_THREADS, REGISTER_UNIT);
    uint64_t of_block = of_warp * rounded_up(warps_of(needs), BLOCK_WARPS_UNIT);
    if (of_block > (uint64_t)multiprocessor->block_registers << 10)
        return 0;
    uint64_t warps = REGISTERS / multiprocessor->parts / of_warp * multiprocessor->parts;
    return warps / warps_of(needs);
}

static uint64_t blocks_by_shared(const struct multiprocessor *multiprocessor,
                                 const struct block_needs *needs)
{
    bool reserves = multiprocessor->number >= FIRST_WITH_RESERVED_SHARED;
    uint64_t bytes = needs->shared + (reserves ? RESERVED_SHARED : 0);
    uint64_t all = (uint64_t)multiprocessor->shared_kb << 10;
    return bytes ? all / rounded_up(bytes, reserves ? 128 : 256) : UINT32_MAX;
}

struct occupancy occupancy_of(const struct multiprocessor *multiprocessor,
                              const struct block_needs *needs)
{
    const uint64_t limits[LIMIT_COUNT] = {
        [LIMIT_WARPS] = multiprocessor->warps / warps_of(needs),
        [LIMIT_BLOCKS] = multiprocessor->blocks,
        [LIMIT_REGISTERS] = blocks_by_registers(multiprocessor, needs),
        [LIMIT_SHARED] = blocks_by_shared(multiprocessor, needs),
    };
    enum occupancy_limit lowest = LIMIT_WARPS;
    for (int i = 1; i < LIMIT_COUNT; i++)
        if (limits[i] < limits[lowest])
            lowest = (enum occupancy_limit)i;
    uint32_t blocks = (uint32_t)limits[lowest];
    return (struct occupancy){blocks, blocks * warps_of(needs), lowest};
}

static bool has_more_blocks(const struct multiprocessor *multiprocessor,
                            const struct block_needs *needs, uint32_t blocks)
{
    return occupancy_of(multiprocessor, needs).blocks > blocks;
}

/* A binary search finds the result, because with fewer registers at least as many blocks fit. */
uint32_t occupancy_better_registers(const struct multiprocessor *multiprocessor,
                                    const struct block_needs *needs)
{
    uint32_t blocks = occupancy_of(multiprocessor, needs).blocks;
    uint32_t enough = 0, too_many = needs->registers;
    while (too_many - enough > 1) {
        struct block_needs fewer = *needs;
        fewer.registers = enough + (too_many - enough) / 2;
        if (has_more_blocks(multiprocessor, &fewer, blocks))
            enough = fewer.registers;
        else
            too_many = fewer.registers;
    }
    return enough;
}

bool occupancy_better_shared(const struct multiprocessor *multiprocessor,
                             const struct block_needs *needs, uint64_t *shared)
{
    struct block_needs fewer = *needs;
    uint32_t blocks = occupancy_of(multiprocessor, needs).blocks;
    fewer.shared = 0;
    if (!has_more_blocks(multiprocessor, &fewer, blocks))
        return false;
    uint64_t enough = 0, too_much = needs->shared;
    while (too_much - enough > 1) {
        fewer.shared = enough + (too_much - enough) / 2;
        if (has_more_blocks(multiprocessor, &fewer, blocks))
            enough = fewer.shared;
        else
            too_much = fewer.shared;
    }
    *shared = enough;
    return true;
}

const char *occupancy_limit_name(enum occupancy_limit limit)
{
    static const char NAMES[LIMIT_COUNT][16] = {
        [LIMIT_WARPS] = "warps",
        [LIMIT_BLOCKS] = "blocks",
        [LIMIT_REGISTERS] = "registers",
        [LIMIT_SHARED] = "shared memory",
    };
    return NAMES[limit];
}
