/* Explains the error that a memory space exceeds its limit, by notes that name the variables in the
 * space. */
#ifndef WARPLD_LINK_RESOURCES_LIMIT_PARTS_H
#define WARPLD_LINK_RESOURCES_LIMIT_PARTS_H

#include <stdbool.h>

struct function;
struct output_section;
struct warpld_link;

/* Counts an explanation. Returns false if there were too many before: their number is limited,
 * because each explanation scans all variables or the whole call graph. */
bool limit_may_be_explained(struct warpld_link *link);

/* Reports the variables in a kernel's shared memory, beginning with the largest. If the kernel
 * itself does not use a variable, also reports calls from the kernel to a function that uses it. */
void limit_parts_of_shared(struct warpld_link *link, const struct function *kernel);

/* Reports the variables in a bank. If no variable has a name, the input sections are reported. */
void limit_parts_of_bank(struct warpld_link *link, const struct output_section *bank);

#endif
