/* Reads the device program in a cubin: its functions, the resources that each needs, and the calls.
 *
 * Registers, frame sizes and barriers come from the attributes. The memory of a function is the
 * size of the sections that belong to its code. Calls come from .nv.callgraph. Only the native view
 * is read, because the Mercury view describes the same functions. */
#ifndef WARPLD_TOOL_PROGRAM_PROGRAM_H
#define WARPLD_TOOL_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/decode/subject.h"

/* A number that the file may lack. */
struct amount {
    uint32_t value;
    bool known; /* false if the file lacks the number */
};

struct program_parameter {
    uint32_t ordinal;
    uint32_t offset;
    uint32_t size;
};

/* A function or a prototype. A call through a pointer is represented by a call of the prototype,
 * and the prototype calls each function to which the pointer can point. So 1,000 callers and 1,000
 * such functions need 2,000 calls and not a million. */
struct program_function {
    const char *label; /* unique in the file */
    uint32_t symbol;
    uint32_t section; /* code section; 0 for undefined functions and prototypes */
    bool is_kernel;
    bool is_prototype;
    bool is_address_taken;
    uint64_t code_size;
    struct amount registers; /* in an executable, a kernel has the maximum of all that it reaches */
    struct amount minimum_stack; /* MIN_STACK_SIZE: stack of a kernel and all that it reaches */
    struct amount frame;
    struct amount barriers;
    struct amount maximum_registers;
    struct amount parameter_bytes;
    struct amount parameter_offset; /* offset in constant bank 0 */
    struct amount required_threads; /* .reqntid of PTX: threads of a block */
    struct amount maximum_threads;  /* .maxntid of PTX (__launch_bounds__): threads of a block */
    uint64_t shared;
    uint64_t local; /* bytes of the function's section of local memory */
    uint64_t constants[CONSTANT_BANK_COUNT];
    GROWING_ARRAY(struct program_parameter, parameters);
    GROWING_ARRAY(uint32_t, calls); /* indices of the functions that it calls */
};

struct program {
    const struct subject *subject;
    struct arena *arena;
    struct program_function *functions; /* defined (in the order of code), undefined, prototypes */
    uint32_t count;                     /* number of elements of `functions` */
    uint32_t defined_count;
    struct program_function **by_section; /* indexed by section; NULL: not native code */
    struct program_function **by_symbol;  /* indexed by native symbol; NULL: an alias, or no
                                             function */
    bool banks_used[CONSTANT_BANK_COUNT]; /* whether a function has a section in the bank */
    uint64_t code;
    uint64_t global;
    uint64_t global_initialised;
    uint64_t constants[CONSTANT_BANK_COUNT]; /* size of each bank in the file */
};

/* Reads the program of an opened subject. Requires: subject_label has been called. The arena must
 * live as long as the program. */
void program_read(struct program *program, const struct subject *subject, struct arena *arena);

/* Returns the index of a function in program->functions. */
static inline uint32_t program_index(const struct program *program,
                                     const struct program_function *function)
{
    return (uint32_t)(function - program->functions);
}

/* Returns the function to whose code the section belongs, or NULL. */
struct program_function *program_owner(const struct program *program,
                                       const struct elf_section *section);

/* Reads the calls; program_read calls this function. */
void program_read_calls(struct program *program);

#endif
