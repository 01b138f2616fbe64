/* Shared variables that the linker places, and the memory of kernels that they are in. */
#ifndef WARPLD_LINK_MODEL_SHARED_H
#define WARPLD_LINK_MODEL_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "link/model/kernel_set.h"

struct elf_symbol;
struct function;
struct input_object;
struct symbol;
struct warpld_link;

/* The part of the system's reserved shared memory that comes before variables in it, in native code
 * from sm_100 on. */
enum { MERCURY_RESERVED_PART = 0x40 };

/* Of extern shared memory, at least (observed). */
enum { EXTERN_SHARED_ALIGNMENT = 16 };

struct shared_variable {
    struct symbol *symbol;
    uint64_t size;
    uint64_t alignment;
    uint64_t offset;             /* in the kernel's shared memory, without the reserved bytes */
    struct function *kernel;     /* the only kernel that uses it, or whose own it is */
    bool is_placed;              /* by the compiler: its kernel is that of a whole program */
    struct kernel_union kernels; /* that reach a use */
    bool is_extern;              /* size given at launch; its address depends on the function */
    bool has_kernel;             /* extern: some kernel reaches a use; */
    uint32_t first_kernel;       /* its number */
    bool used;                   /* some code, even removed code, refers to it */
    struct shared_variable *replaced;        /* of a weak definition that lost to this one */
    const struct function *last_user;        /* of the uses found so far */
    GROWING_ARRAY(struct function *, users); /* whose code refers to it */
};

/* The kernel whose section it is: static kernels of one name share one (see output.h). */
struct function *shared_section_owner(const struct function *kernel);

/* The variable is the kernel's own. */
void shared_add_own(struct warpld_link *link, struct function *kernel,
                    struct shared_variable *variable);

/* With -g shared variables keep their symbols, else only hidden and protected ones. */
bool shared_keeps_name(const struct warpld_link *link, const struct symbol *symbol);

/* --------------------------------------------------------------------------------------------- */
/* Shared memory of the inputs; see merge_shared.c                                               */

#endif
