/* Notes about the calls that make a kernel's stack deep. They follow the message about the
 * stack. */
#ifndef WARPLD_LINK_RESOURCES_STACK_NOTES_H
#define WARPLD_LINK_RESOURCES_STACK_NOTES_H

#include <stdint.h>

#define STACK_UNKNOWN UINT64_MAX

struct callgraph;
struct function;
struct warpld_link;

/* The callee that needs the most stack; the function itself if no callee needs any. `need` is the
 * stack of each component of the call graph, including that of its callees. */
uint32_t deepest_callee(const struct callgraph *graph, const uint64_t *need, uint32_t node);

/* To be called after the error about a kernel's limit. Reports the calls that need the most stack,
 * or the recursion that makes the need unknown. `need` is the stack of each component of the call
 * graph, including that of its callees. */
void stack_explain_limit(struct warpld_link *link, const uint64_t *need,
                         const struct function *kernel);

/* To be called after the warning about an unknown stack. Reports a cycle of calls, and the calls
 * that lead to it. */
void stack_explain_cycle(struct warpld_link *link, const struct function *kernel);

#endif
