/* Notes after a message about an exceeded limit. They give sizes in decimal, and say where the
 * limit comes from and what the remedy is. */
#ifndef WARPLD_LINK_NOTES_LIMIT_REMEDIES_H
#define WARPLD_LINK_NOTES_LIMIT_REMEDIES_H

#include <stdint.h>

struct function;
struct output_section;
struct warpld_link;

/* Adds notes about a kernel that reaches a function which needs more registers than the kernel may
 * use. */
void limit_remedy_registers(struct warpld_link *link, const struct function *kernel,
                            const struct function *function);

/* Adds notes about a kernel that uses `size` bytes of shared memory, which is more than `limit`. */
void limit_remedy_shared(struct warpld_link *link, const struct function *kernel, uint64_t size,
                         uint64_t limit);

/* Adds notes about a constant bank that is too large. */
void limit_remedy_bank(struct warpld_link *link, const struct output_section *bank);

/* Adds notes about a kernel that needs more stack than its object permits. */
void limit_remedy_stack(struct warpld_link *link, const struct function *kernel);

#endif
