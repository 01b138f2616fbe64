/* Computes how many blocks of a kernel a multiprocessor runs at a time. */
#ifndef WARPLD_TOOL_EXPLAIN_OCCUPANCY_H
#define WARPLD_TOOL_EXPLAIN_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* The resource that limits the number of blocks. If several resources give the same limit, the
 * first of them in this order is reported. */
enum occupancy_limit { LIMIT_WARPS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_COUNT };

/* A row of multiprocessor.def, which explains the columns. */
struct multiprocessor {
    uint16_t number;
    uint16_t warps;
    uint16_t blocks;
    uint16_t shared_kb;
    uint16_t block_registers; /* in units of 1,024 */
    uint16_t parts;
};

struct occupancy {
    uint32_t blocks;
    uint32_t warps;
    enum occupancy_limit limit;
};

/* What a block needs. */
struct block_needs {
    uint32_t threads;   /* 1 to 1,024 */
    uint32_t registers; /* of a thread */
    uint64_t shared;    /* bytes, without those that the system reserves */
};

/* Returns the multiprocessor of sm_NUMBER; NULL if it is not known. */
const struct multiprocessor *multiprocessor_find(unsigned number);

struct occupancy occupancy_of(const struct multiprocessor *multiprocessor,
                              const struct block_needs *needs);

/* Returns the largest number of registers below needs->registers with which more blocks run.
 * Returns 0 if no smaller number helps. */
uint32_t occupancy_better_registers(const struct multiprocessor *multiprocessor,
                                    const struct block_needs *needs);

/* Finds the largest number of bytes of shared memory below needs->shared with which more blocks
 * run. Returns false if no smaller number helps. */
bool occupancy_better_shared(const struct multiprocessor *multiprocessor,
                             const struct block_needs *needs, uint64_t *shared);

/* Returns "registers", "shared memory", "warps" or "blocks". */
const char *occupancy_limit_name(enum occupancy_limit limit);

#endif
