/* What fills a memory space that is too small: notes behind the error that says so. */
#ifndef WARPLD_LINK_RESOURCES_LIMIT_PARTS_H
#define WARPLD_LINK_RESOURCES_LIMIT_PARTS_H

#include <stdbool.h>

struct function;
struct output_section;
struct warpld_link;

/* Only so many broken limits of a link are explained: each explanation looks at all variables or at
 * the whole call graph. Counts those asked for. */
bool limit_may_be_explained(struct warpld_link *link);

/* The variables in a kernel's shared memory, the largest first, and who uses them when the kernel
 * itself does not. */
void limit_parts_of_shared(struct warpld_link *link, const struct function *kernel);

/* The variables in a bank, or, where none has a name, the inputs' sections. */
void limit_parts_of_bank(struct warpld_link *link, const struct output_section *bank);

#endif
