/* Links of LTO-IR with other inputs. In such links, NVIDIA's libraries 12.3 to 13.5 remove
 * functions that only the other inputs call, and keep two copies of static variables. So libwarpld
 * does the link, and uses NVIDIA's library as the optimiser only. */
#ifndef WARPLD_NVJITLINK_PARTIAL_H
#define WARPLD_NVJITLINK_PARTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "nvjitlink/handle.h"
#include "warpld.h"

/* Keeps a copy of an input that NVIDIA's library has accepted. If memory runs out, or if libwarpld
 * cannot link the input, NVIDIA's library completes the link. */
void partial_keep(struct jit_link *link, const void *data, size_t size, const char *name);

/* Whether libwarpld can and should complete the link in place of NVIDIA's library. */
bool partial_is_needed(struct jit_link *link);

/* The callbacks of link-time optimisation; the context is the link. */
void partial_optimise(void *context, const struct warpld_optimise_request *request,
                      struct warpld_optimise_result *result);
void partial_release(void *context, struct warpld_optimise_result *result);

#endif
