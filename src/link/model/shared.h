/* Shared variables to which the linker assigns addresses, and the shared memory of kernels.
 *
 *      shared memory of a kernel
 *      +----------+------------------------------+--------------------------+
 *      | reserved | shared_variables             | extern shared memory     |
 *      | by the   | that the kernel reaches      | (size given at launch)   |
 *      | system   |                              |                          |
 *      +----------+------------------------------+--------------------------+
 *                 0 = origin of variable.offset   shared_memory.end, aligned */
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

/* Size of the part of .nv.shared.reserved.N that the system uses in native code, from sm_100 on.
 * The variables of the section follow that part. */
enum { MERCURY_RESERVED_PART = 0x40 };

/* The minimum alignment of extern shared memory (observed). */
enum { EXTERN_SHARED_ALIGNMENT = 16 };

struct shared_variable {
    struct symbol *symbol;
    uint64_t size;
    uint64_t alignment;
    uint64_t offset;         /* in the kernel's shared memory, from the end of the reserved bytes */
    struct function *kernel; /* the kernel that owns it, or the only one that uses it; or NULL */
    /* The compiler has assigned the offset, because the kernel is in a whole program. */
    bool is_placed;
    struct kernel_union kernels; /* the kernels that reach a function whose code refers to it */
    /* The variable is extern shared memory: its size is given at launch, and its address depends on
     * the function. */
    bool is_extern;
    /* For extern shared memory: some kernel reaches a function whose code refers to it. */
    bool has_kernel;
    uint32_t first_kernel; /* the number of one such kernel, if has_kernel */
    bool used;             /* some code, kept or removed, refers to it */
    /* If this variable's definition superseded a weak one: the variable of the weak definition,
     * which keeps its space. Otherwise NULL. */
    struct shared_variable *superseded;
    const struct function *last_user;        /* the last element of `users`; NULL if it is empty */
    GROWING_ARRAY(struct function *, users); /* functions whose code refers to it */
};

/* Returns the kernel that owns the section with this kernel's shared memory. Static kernels with
 * the same name share one section (see output.h). */
struct function *shared_section_owner(const struct function *kernel);

/* Adds a variable to the list of the kernel's own variables. */
void shared_add_own(struct warpld_link *link, struct function *kernel,
                    struct shared_variable *variable);

/* Whether the symbol of a shared variable is in the output. With -g and with --preserve-relocs,
 * nearly all symbols are, otherwise only hidden and protected ones. */
bool shared_keeps_name(const struct warpld_link *link, const struct symbol *symbol);

#endif
