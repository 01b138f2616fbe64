/* The variables that fill a memory space over its limit: notes after the error that reports it. */
#ifndef WARPLD_LINK_RESOURCES_LIMIT_PARTS_H
#define WARPLD_LINK_RESOURCES_LIMIT_PARTS_H

#include <stdbool.h>

struct function;
struct output_section;
struct warpld_link;

/* Returns whether one more exceeded limit may be explained, and counts it. The number is bounded
 * because each explanation scans all variables or the whole call graph. */
bool limit_may_be_explained(struct warpld_link *link);

/* Reports the variables in a kernel's shared memory, largest first, with the functions that use
 * them if the kernel itself does not. */
void limit_parts_of_shared(struct warpld_link *link, const struct function *kernel);

/* Reports the variables in a bank, or, if none has a name, the input sections. */
void limit_parts_of_bank(struct warpld_link *link, const struct output_section *bank);

#endif
