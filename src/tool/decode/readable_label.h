/* Makes readable names for the labels of sections and symbols. */
#ifndef WARPLD_TOOL_DECODE_READABLE_LABEL_H
#define WARPLD_TOOL_DECODE_READABLE_LABEL_H

struct readable_names;

/* Returns `name` with the mangled name inside it replaced by the readable name. For example, a
 * __shared__ variable with the mangled name "_ZZ1fvE4tile" has the symbol "$___ZZ1fvE4tile__24" in
 * nvcc's output, and its label is "f()::tile". */
const char *readable_label(struct readable_names *names, const char *name);

#endif
