/* Computes the memory that a kernel uses, as -v and the public interface report it.
 *
 * Requires: NEEDS_KNOWN. Banks of constants are found by exact name. The search allocates memory in
 * the arena of the link. */
#ifndef WARPLD_LINK_RESOURCES_KERNEL_USAGE_H
#define WARPLD_LINK_RESOURCES_KERNEL_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "link/model/link_context.h"

struct function;

/* The last bank of constants. */
enum { USAGE_LAST_BANK = 17 };

/* Returns the size of the section with this name; 0 if the output has no such section. */
uint64_t usage_of_section(link_context *link, const char *name);

/* True if banks with this number are reported for kernels, because each kernel has its own bank.
 * Other banks are reported for the program. */
bool usage_is_bank_of_kernel(int bank);

/* Returns the size of a bank of the kernel or, if `kernel` is NULL, of the program. */
uint64_t usage_of_bank(link_context *link, const struct function *kernel, int bank);

/* Returns the kernel's number of slots for textures, samplers or surfaces. `type` is the symbol
 * type, such as STT_CUDA_TEXTURE. */
unsigned usage_of_slots(const link_context *link, const struct function *kernel, uint8_t type);

uint64_t kernel_local_memory(link_context *link, const struct function *kernel);
uint64_t kernel_shared_memory(const link_context *link, const struct function *kernel);

/* Returns the size of bank 0, which contains a part for the driver, and then the parameters. */
uint64_t kernel_parameter_bank(const struct function *kernel);

/* Returns the total size of all banks of the kernel, including bank 0. */
uint64_t kernel_own_constants(link_context *link, const struct function *kernel);

/* Returns the size of the kernel's parameters, which the compiler stores in a record; 0 if there is
 * no record. */
uint32_t kernel_parameter_size(const struct function *kernel);

#endif
