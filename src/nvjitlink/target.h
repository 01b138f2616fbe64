/* The target of -arch=. */
#ifndef WARPLD_NVJITLINK_TARGET_H
#define WARPLD_NVJITLINK_TARGET_H

#include <stdbool.h>

#include "nvjitlink/log.h"
#include "warpld_nvjitlink.h"

enum target_kind { TARGET_REAL, TARGET_VIRTUAL, TARGET_LTO };

struct jit_target {
    enum target_kind kind; /* the prefix: "sm_", "compute_" or "lto_" */
    char architecture[16]; /* as libwarpld and ptxas name it: "sm_90a" */
    bool is_known;         /* libwarpld can link for this target */
};

/* Reads the value of an argument such as "-arch=sm_90a". */
nvJitLinkResult jit_target_read(struct jit_target *target, const char *argument, const char *value,
                                struct jit_log *errors);

#endif
