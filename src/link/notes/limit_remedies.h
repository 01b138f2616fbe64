/* Notes after an exceeded limit: sizes in decimal, where the limit comes from, and the remedy. */
#ifndef WARPLD_LINK_NOTES_LIMIT_REMEDIES_H
#define WARPLD_LINK_NOTES_LIMIT_REMEDIES_H

#include <stdint.h>

struct function;
struct output_section;
struct warpld_link;

/* The kernel reaches a function that needs more registers than the kernel is limited to. */
void limit_remedy_registers(struct warpld_link *link, const struct function *kernel,
                            const struct function *function);

/* A kernel uses size bytes of shared memory, more than the limit. */
void limit_remedy_shared(struct warpld_link *link, const struct function *kernel, uint64_t size,
                         uint64_t limit);

/* A constant bank has more bytes than fit. */
void limit_remedy_bank(struct warpld_link *link, const struct output_section *bank);

/* A kernel needs more stack than its object allows. */
void limit_remedy_stack(struct warpld_link *link, const struct function *kernel);

#endif
