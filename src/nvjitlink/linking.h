/* Links the inputs with libwarpld. */
#ifndef WARPLD_NVJITLINK_LINKING_H
#define WARPLD_NVJITLINK_LINKING_H

#include <stdbool.h>

#include "nvjitlink/handle.h"

/* Creates link->link unless it exists. Returns false if memory has run out. */
bool linking_start(struct jit_link *link);

/* Creates a link of libwarpld for one input, to compile its PTX. The new link has the target and
 * the compiler of `link`, and reports nothing. */
struct warpld_link *linking_create_silent(struct jit_link *link);

/* With -time, adds a line to the info log: the label, and the milliseconds since the last line. */
void linking_report_time(struct jit_link *link, const char *label);

#endif
