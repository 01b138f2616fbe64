/* Notes about the calls that make a kernel's stack large. The notes follow the message about the
 * stack. */
#ifndef WARPLD_LINK_RESOURCES_STACK_NOTES_H
#define WARPLD_LINK_RESOURCES_STACK_NOTES_H

#include <stdint.h>

#define STACK_UNKNOWN UINT64_MAX

struct callgraph;
struct function;
struct warpld_link;

/* Returns the callee that needs the most stack; the node itself if no callee needs any. `need` is
 * an array by component of the call graph: the stack of the component, including its callees. */
uint32_t deepest_callee(const struct callgraph *graph, const uint64_t *need, uint32_t node);

/* Explains the error about a kernel's limit: reports the calls that need the most stack, or the
 * recursion that makes the need unknown. Must be called after the error. `need` is the array that
 * deepest_callee needs. */
void stack_explain_limit(struct warpld_link *link, const uint64_t *need,
                         const struct function *kernel);

/* Explains the warning about an unknown stack: reports a cycle of calls, and the calls that lead to
 * it. Must be called after the warning. */
void stack_explain_cycle(struct warpld_link *link, const struct function *kernel);

#endif
