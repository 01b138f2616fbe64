/* Finds the function or variable to which each byte of a cubin belongs. */
#ifndef WARPLD_TOOL_SIZE_WEIGH_H
#define WARPLD_TOOL_SIZE_WEIGH_H

#include <stdint.h>

#include "base/arena.h"
#include "tool/decode/subject.h"

/* Bytes of one section that belong to one function or variable, or to none. */
struct weight {
    uint64_t file;       /* bytes of the file */
    uint64_t memory;     /* bytes on the device */
    const char *section; /* label; "[headers and padding]" for bytes in no section */
    const char *space;   /* "code", "constant memory", "relocations" ... */
    const char *owner;   /* readable name of the function or variable, or NULL */
};

struct weights {
    GROWING_ARRAY(struct weight, all);
};

/* Divides the bytes of a file into weights. Each byte is counted once: bytes that several sections
 * share belong to the first of them. Requires: subject_label has been called. */
void weights_read(struct weights *weights, const struct subject *subject, struct arena *arena);

/* The `space` of the bytes of debug sections: "debug information". */
extern const char SPACE_DEBUG[];

#endif
