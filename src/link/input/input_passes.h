/* The passes over the inputs, in the order of the list in link.c. */
#ifndef WARPLD_LINK_INPUT_INPUT_PASSES_H
#define WARPLD_LINK_INPUT_INPUT_PASSES_H

struct warpld_link;

void pass_read_unified_index(struct warpld_link *link);
void pass_open_inputs(struct warpld_link *link);
void pass_skip_unused_runtime(struct warpld_link *link);
void pass_linked_objects(struct warpld_link *link);

/* Lists the linked objects instead of pass_linked_objects, if a compiler makes the whole output
 * from LTO-IR. */
void list_objects_of_whole_program(struct warpld_link *link);

#endif
