/* Why a kernel needs so much stack: notes behind the message that says so. */
#ifndef WARPLD_LINK_RESOURCES_STACK_NOTES_H
#define WARPLD_LINK_RESOURCES_STACK_NOTES_H

#include <stdint.h>

#define STACK_UNKNOWN UINT64_MAX

struct function;
struct warpld_link;

/* Below the error about a kernel's limit: the deepest calls, or the recursion that makes the depth
 * unknown. need: by component of the call graph, what it and its callees need. */
void stack_explain_limit(struct warpld_link *link, const uint64_t *need,
                         const struct function *kernel);

/* Below the warning about a kernel of unknown need: a cycle of calls and how it is reached. */
void stack_explain_cycle(struct warpld_link *link, const struct function *kernel);

#endif
