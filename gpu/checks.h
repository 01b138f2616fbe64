/* What is run on the GPU, and what it must compute. */
#ifndef WARPLD_GPU_CHECKS_H
#define WARPLD_GPU_CHECKS_H

#include <stddef.h>
#include <stdint.h>

#define MOST_OBJECTS 3

/* Objects that are linked into one cubin: gpu/data/OBJECT.ARCHITECTURE.cubin. */
struct program {
    const char *name;
    const char *objects[MOST_OBJECTS + 1]; /* ends with NULL */
};

/* What the kernel's second parameter is. */
enum argument {
    NO_ARGUMENT,
    ARGUMENT_FUNCTION, /* the code address that the program's variable `exported` holds */
    ARGUMENT_SEEDS,    /* the address of an array with the values of seed() */
};

/* Every kernel is called as kernel(uint32_t *out, uint64_t argument) and writes one word a thread.
 */
struct check {
    const struct program *program;
    const char *kernel;
    const char *about;
    unsigned blocks;
    unsigned threads;      /* of a block */
    unsigned shared_bytes; /* given at launch */
    unsigned stack_bytes;  /* of a thread; 0: what the cubin says */
    /* The word that thread `thread` of block `block` must write; `i` numbers all threads. */
    uint32_t (*expected)(uint32_t i, uint32_t block, uint32_t thread);
    enum argument argument;
    uint32_t factor;    /* what the host writes into the constant `factor` before; 0: nothing */
    const char *prints; /* what the kernel prints, or NULL */
};

#define SEED_COUNT   80
#define NEW_FACTOR   7
#define BLOCK_SIZE   64
#define DEEP_STACK   16384 /* for the recursive kernels, whose need no cubin can say */
#define SECONDS_EACH 60

uint32_t seed(uint32_t index);

extern const struct check checks[];
extern const size_t check_count;

/* The programs, each once, in the order of the checks. */
extern const struct program *const programs[];
extern const size_t program_count;

#endif
