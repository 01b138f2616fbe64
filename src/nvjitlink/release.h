/* The release whose interface the library has: exports.c and release.c are compiled twice, with 12
 * and with 13 for NVJITLINK_MAJOR. Everything else is the same code in both libraries. */
#ifndef WARPLD_NVJITLINK_RELEASE_H
#define WARPLD_NVJITLINK_RELEASE_H

#include <stdbool.h>

#include "warpld_nvjitlink.h"

/* The differences between the two libraries. */
struct jit_release {
    unsigned major;
    unsigned minor;
    bool checks_architecture; /* nvJitLinkCreate refuses targets that the release does not know */
    bool times_additions;     /* with -time, the info log has a line for each input */
    unsigned output_abi;      /* the value for output_abi of struct warpld_options */
    const char *soname;
    const char *end_of_errors;   /* end of the last line in the error log of a link with errors */
    const char *no_lto_ir;       /* message about -lto without LTO-IR */
    const char *lto_not_enabled; /* message about LTO-IR without -lto */
};

extern const struct jit_release jit_release;

/* Returns the code that this release has for a result code of release 13. */
nvJitLinkResult jit_release_result(nvJitLinkResult result);

#endif
