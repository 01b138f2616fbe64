/* The checks that run on the GPU, with their expected results. */
#ifndef WARPLD_GPU_CHECKS_H
#define WARPLD_GPU_CHECKS_H

#include <stddef.h>
#include <stdint.h>

#define MOST_OBJECTS 3

/* Objects that are linked to one cubin: gpu/data/OBJECT.ARCHITECTURE.cubin. */
struct program {
    const char *name;
    const char *objects[MOST_OBJECTS + 1]; /* ends with NULL */
};

/* The kernel's second parameter. */
enum argument {
    NO_ARGUMENT,
    ARGUMENT_FUNCTION, /* the code address in the program's variable `exported` */
    ARGUMENT_SEEDS,    /* the address of an array with the values of seed() */
};

/* A launch of a kernel. Each kernel has the parameters (uint32_t *out, uint64_t argument), and each
 * thread writes one word of `out`. */
struct check {
    const struct program *program;
    const char *kernel;
    const char *about;
    unsigned blocks;
    unsigned threads;      /* per block */
    unsigned shared_bytes; /* dynamic shared memory */
    unsigned stack_bytes;  /* per thread; 0: the cubin's value */
    /* The word that thread `thread` of block `block` must write; `i` is its global index. */
    uint32_t (*expected)(uint32_t i, uint32_t block, uint32_t thread);
    enum argument argument;
    uint32_t factor;    /* value that the host writes to the constant `factor`; 0: none */
    const char *prints; /* expected output of printf, or NULL */
};

#define SEED_COUNT   80
#define NEW_FACTOR   7
#define BLOCK_SIZE   64
#define DEEP_STACK   16384 /* for the recursive kernels, whose stack size is not in the cubin */
#define SECONDS_EACH 60

uint32_t seed(uint32_t index);

extern const struct check checks[];
extern const size_t check_count;

/* All programs, in the order of the checks. */
extern const struct program *const programs[];
extern const size_t program_count;

#endif
