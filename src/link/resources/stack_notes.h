/* The calls that make a kernel's stack deep: notes after the message about its stack. */
#ifndef WARPLD_LINK_RESOURCES_STACK_NOTES_H
#define WARPLD_LINK_RESOURCES_STACK_NOTES_H

#include <stdint.h>

#define STACK_UNKNOWN UINT64_MAX

struct callgraph;
struct function;
struct warpld_link;

/* The callee of a function that needs the most stack; the function itself if none needs any.
 * need: by component of the call graph, the stack of it and its callees. */
uint32_t deepest_callee(const struct callgraph *graph, const uint64_t *need, uint32_t node);

/* After the error about a kernel's limit: reports the deepest calls, or the recursion that makes
 * the depth unknown. need: by component of the call graph, the stack of it and its callees. */
void stack_explain_limit(struct warpld_link *link, const uint64_t *need,
                         const struct function *kernel);

/* After the warning about an unknown stack: reports a cycle of calls and how it is reached. */
void stack_explain_cycle(struct warpld_link *link, const struct function *kernel);

#endif
