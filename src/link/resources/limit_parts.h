/* Explains the error that a memory space exceeds its limit: reports the variables in the space as
 * notes. */
#ifndef WARPLD_LINK_RESOURCES_LIMIT_PARTS_H
#define WARPLD_LINK_RESOURCES_LIMIT_PARTS_H

#include <stdbool.h>

struct function;
struct output_section;
struct warpld_link;

/* Returns whether one more exceeded limit may be explained, and counts it. The number of
 * explanations is limited, because each of them scans all variables or the whole call graph. */
bool limit_may_be_explained(struct warpld_link *link);

/* Reports the variables in a kernel's shared memory, the largest first. If the kernel itself does
 * not use a variable, the calls that lead to a function that does are reported, too. */
void limit_parts_of_shared(struct warpld_link *link, const struct function *kernel);

/* Reports the variables in a bank. If no variable has a name, the input sections are reported. */
void limit_parts_of_bank(struct warpld_link *link, const struct output_section *bank);

#endif
