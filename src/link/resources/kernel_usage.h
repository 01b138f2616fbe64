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

/* The size of the section of that name; 0 if it is not in the output. */
uint64_t usage_of_section(link_context *link, const char *name);

/* Whether banks of that number are reported for kernels, because each kernel has its own. Others
 * are reported for the program. */
bool usage_is_bank_of_kernel(int bank);

/* The size of a bank of the kernel; if `kernel` is NULL, of the program. */
uint64_t usage_of_bank(link_context *link, const struct function *kernel, int bank);

/* The number of slots of textures, of samplers or of surfaces, depending on `type`; 0 if the kernel
 * has none. */
unsigned usage_of_slots(const link_context *link, const struct function *kernel, uint8_t type);

uint64_t kernel_local_memory(link_context *link, const struct function *kernel);
uint64_t kernel_shared_memory(const link_context *link, const struct function *kernel);

/* The size of bank 0, which holds the parameters after the driver's part. */
uint64_t kernel_parameter_bank(const struct function *kernel);

/* The size of all banks that belong to the kernel, including bank 0. */
uint64_t kernel_own_constants(link_context *link, const struct function *kernel);

/* The size of the kernel's parameters, from the compiler's record; 0 if there is no record. */
uint32_t kernel_parameter_size(const struct function *kernel);

#endif
