/* The passes that compute and check the resources of kernels, in the order of the list in
 * link.c. */
#ifndef WARPLD_LINK_RESOURCES_RESOURCES_PASSES_H
#define WARPLD_LINK_RESOURCES_RESOURCES_PASSES_H

struct warpld_link;

void pass_stack(struct warpld_link *link);
void pass_limits(struct warpld_link *link);
void pass_check_large_parameters(struct warpld_link *link);
void pass_stack_limits(struct warpld_link *link);
void pass_properties(struct warpld_link *link);
void pass_reserved_shared(struct warpld_link *link);
void pass_report(struct warpld_link *link);

#endif
