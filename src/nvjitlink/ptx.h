/* Compiles PTX when the input that contains it is added. */
#ifndef WARPLD_NVJITLINK_PTX_H
#define WARPLD_NVJITLINK_PTX_H

#include "nvjitlink/handle.h"
#include "warpld.h"

/* Compiles a PTX input, and replaces its text with the cubin. */
nvJitLinkResult ptx_compile_input(struct jit_link *link, struct jit_input *input);

/* Compiles the texts that a link would take from a fat binary, an object or a library, and keeps
 * the cubins for the link. */
nvJitLinkResult ptx_compile_container(struct jit_link *link, const struct jit_input *input);

/* The next four functions are callbacks of struct warpld_options, with the link as context. */

/* The first function compiles the texts that a link takes, and keeps the cubins for
 * ptx_take_compiled. The second reports the messages of a text. The third releases the results. */
void ptx_compile_and_keep(void *context, const struct warpld_compile_request *requests,
                          struct warpld_compile_result *results, size_t count);
void ptx_report_kept(void *context, size_t index);
void ptx_release_kept(void *context, struct warpld_compile_result *results, size_t count);

/* Compiles nothing, but returns the cubins that were kept. */
void ptx_take_compiled(void *context, const struct warpld_compile_request *requests,
                       struct warpld_compile_result *results, size_t count);

void ptx_free_compiled(struct jit_link *link);

/* Runs a link whose callbacks are ptx_compile_and_keep, ptx_report_kept and ptx_release_kept, and
 * adds the compiler's messages to the logs. */
enum warpld_status ptx_run(struct jit_link *link, struct warpld_link *compiling);

#endif
