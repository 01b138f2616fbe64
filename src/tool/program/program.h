/* The device program in a cubin: its functions, what each needs, and who calls whom.
 *
 * Registers, frames and barriers come from the attributes, memory is the size of the sections that
 * belong to a function's code, and calls come from .nv.callgraph. Only the native view is read; the
 * Mercury view describes the same functions. */
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
    bool known;
};

struct program_parameter {
    uint32_t ordinal;
    uint32_t offset;
    uint32_t size;
};

/* A function, or an entry that represents a prototype. A call through a pointer is a call of the
 * prototype's entry, which calls each function to which such a pointer can point. So 1,000 callers
 * of 1,000 functions need 2,000 calls and not a million. */
struct program_function {
    const char *label; /* unique in the file */
    uint32_t symbol;
    uint32_t section; /* code section; 0 for an undefined function and for a prototype */
    bool is_kernel;
    bool is_prototype;
    bool is_address_taken;
    uint64_t code_size;
    struct amount registers;     /* for a kernel of an executable, covers all that it calls, too */
    struct amount minimum_stack; /* MIN_STACK_SIZE: stack of a kernel and all that it calls */
    struct amount frame;
    struct amount barriers;
    struct amount maximum_registers;
    struct amount parameter_bytes;
    struct amount parameter_offset; /* in constant bank 0 */
    struct amount required_threads; /* product of the dimensions of .reqntid in PTX */
    struct amount maximum_threads;  /* product of those of .maxntid (__launch_bounds__) */
    uint64_t shared;
    uint64_t local; /* size of the function's section of local memory */
    uint64_t constants[CONSTANT_BANK_COUNT];
    GROWING_ARRAY(struct program_parameter, parameters);
    GROWING_ARRAY(uint32_t, calls); /* indices of the functions that it calls */
};

struct program {
    const struct subject *subject;
    struct arena *arena;
    struct program_function *functions; /* defined (in code order), undefined, prototypes */
    uint32_t count;                     /* number of all functions and prototypes */
    uint32_t defined_count;
    struct program_function **by_section; /* function of a code section; NULL for other sections */
    struct program_function **by_symbol;
    bool banks_used[CONSTANT_BANK_COUNT]; /* a function has a section in the bank */
    uint64_t code;
    uint64_t global;
    uint64_t global_initialised;
    uint64_t constants[CONSTANT_BANK_COUNT]; /* size of each bank in the whole file */
};

/* Reads an opened subject that has labels. The arena must live as long as the program. */
void program_read(struct program *program, const struct subject *subject, struct arena *arena);

/* The index of a function of the program. */
static inline uint32_t program_index(const struct program *program,
                                     const struct program_function *function)
{
    return (uint32_t)(function - program->functions);
}

/* The function whose code the section belongs to, or NULL. */
struct program_function *program_owner(const struct program *program,
                                       const struct elf_section *section);

/* Reads the calls; part of program_read. */
void program_read_calls(struct program *program);

#endif
