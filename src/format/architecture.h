/* Target architectures. architecture.def lists them with their properties; architecture_runs.def
 * lists the targets that run code for other SM numbers. */
#ifndef WARPLD_FORMAT_ARCHITECTURE_H
#define WARPLD_FORMAT_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum architecture_suffix { SUFFIX_PLAIN, SUFFIX_ACCELERATED, SUFFIX_FAMILY };
enum architecture_code { CODE_NATIVE, CODE_MERCURY };
enum architecture_relocations { RELOCATIONS_REL_AND_RELA, RELOCATIONS_RELA };

struct architecture {
    uint16_t number; /* 90 of sm_90a */
    uint8_t suffix;  /* enum architecture_suffix */
    uint8_t code;    /* enum architecture_code */
    uint16_t family;
    uint16_t parameter_base;
    uint32_t shared_limit;
    uint32_t extended_limit;
    uint32_t shared_reserved;
    uint8_t relocations; /* enum architecture_relocations */
};

/* The lowest SM number that CUDA 13 supports. Lower numbers exist only up to CUDA 12, and files for
 * them have ABI version 7. */
enum { FIRST_SM_OF_CUDA_13 = 75 };

static inline bool architecture_is_of_cuda_12(const struct architecture *architecture)
{
    return architecture->number < FIRST_SM_OF_CUDA_13;
}

/* Returns the architecture with a name such as "sm_90a"; NULL if there is none. */
const struct architecture *architecture_find(const char *name);

/* Returns the architecture of a PTX target such as "compute_90a"; NULL for other names. Also
 * returns NULL for targets that only CUDA 12 has, because nvlink 13.0.88 refuses them. */
const struct architecture *architecture_find_virtual(const char *name);

/* Returns all architectures, in the order of architecture.def. */
const struct architecture *architectures(size_t *count);

/* Write the name with the prefix sm_ or compute_, such as "sm_90a" or "compute_90a". */
void architecture_name(const struct architecture *architecture, char name[16]);
void architecture_virtual_name(const struct architecture *architecture, char name[16]);

/* Returns the family of an SM (see architecture.def); 0 if the SM has none or is unknown. */
unsigned architecture_family(unsigned number);

/* Returns true if machine code compiled for SM `object` can be linked for the target. */
bool architecture_runs_code_of(const struct architecture *target, unsigned object);

/* Like architecture_runs_code_of, but for an output of ABI version 7, for which libnvJitLink 12.9
 * accepts more SM numbers. */
bool architecture_runs_code_in_abi_12(const struct architecture *target, unsigned object);

/* Returns true if nvlink generates new machine code when it links code for SM `object` for the
 * target (TRANSLATED in architecture_runs.def). */
bool architecture_translates_code_of(const struct architecture *target, unsigned object);

#endif
