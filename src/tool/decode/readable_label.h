/* Readable names for the labels of sections and symbols. */
#ifndef WARPLD_TOOL_DECODE_READABLE_LABEL_H
#define WARPLD_TOOL_DECODE_READABLE_LABEL_H

struct readable_names;

/* The text with readable names in it. nvcc names a __shared__ variable of a function
 * "$___ZZ1fvE4tile__24", after its mangled name "_ZZ1fvE4tile": its label is "f()::tile". */
const char *readable_label(struct readable_names *names, const char *name);

#endif
