/* Shared variables that the linker places. */
#ifndef WARPLD_LINK_SHARED_H
#define WARPLD_LINK_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "link/kernel_set.h"

struct function;
struct symbol;

/* The part of the system's reserved shared memory that comes before variables in it, in native code
 * from sm_100 on. */
enum { MERCURY_RESERVED_PART = 0x40 };

struct shared_variable {
    struct symbol *symbol;
    uint64_t size;
    uint64_t alignment;
    uint64_t offset;           /* in the kernel's shared memory, without the reserved bytes */
    struct function *kernel;   /* the only kernel that uses it, or whose own it is */
    struct kernel_set kernels; /* that reach a use */
    bool is_extern;            /* size given at launch; its address depends on the function */
    bool has_kernel;           /* extern: some kernel reaches a use; */
    uint32_t first_kernel;     /* its number */
    bool used;                 /* some code, even removed code, refers to it */
    struct shared_variable *replaced;        /* of a weak definition that lost to this one */
    const struct function *last_user;        /* of the uses found so far */
    GROWING_ARRAY(struct function *, users); /* whose code refers to it */
};

#endif
