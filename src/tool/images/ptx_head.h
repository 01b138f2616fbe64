/* Reads the head of a PTX text: the version of the language, and the target. */
#ifndef WARPLD_TOOL_IMAGES_PTX_HEAD_H
#define WARPLD_TOOL_IMAGES_PTX_HEAD_H

#include "base/bytes.h"

struct ptx_head {
    char version[8]; /* "8.0"; "" if the head has none */
    char target[16]; /* "sm_90a"; "" if the head has none */
};

/* Reads the directives .version and .target at the start of a PTX text, in any order. */
void ptx_head_read(struct bytes bytes, struct ptx_head *head);

#endif
