/* The head of a PTX text: the version of the language and the target that it names. */
#ifndef WARPLD_TOOL_IMAGES_PTX_HEAD_H
#define WARPLD_TOOL_IMAGES_PTX_HEAD_H

#include "base/bytes.h"

struct ptx_head {
    char version[8]; /* "8.0"; "" if the head has none */
    char target[16]; /* "sm_90a", likewise */
};

/* Reads the directives .version and .target, which PTX texts begin with, in either order. */
void ptx_head_read(struct bytes bytes, struct ptx_head *head);

#endif
