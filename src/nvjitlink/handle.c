/* Creates and destroys handles; see handle.h.
 *
 * A handle points to a shell (struct nvJitLink), which points to the link. When a handle is
 * destroyed, its shell is kept for a while without the link, so that a later use of the handle is
 * recognized. A ring keeps the last KEPT_SHELLS shells. The ring, NVIDIA's library (nvidia.c) and
 * the compiler of PTX (ptx.c) are the only state that links share. */
#include "nvjitlink/handle.h"

#include <stdlib.h>

#include "nvjitlink/calls.h"
#include "nvjitlink/inputs.h"
#include "nvjitlink/nvidia.h"
#include "nvjitlink/release.h"

struct nvJitLink {
    _Atomic(struct jit_link *) link; /* NULL when the handle is destroyed */
};

enum { KEPT_SHELLS = 256 };
static _Atomic(struct nvJitLink *) kept_shells[KEPT_SHELLS];
static atomic_uint next_shell;

struct jit_link *jit_link_of(nvJitLinkHandle handle)
{
    return handle ? atomic_load_explicit(&handle->link, memory_order_acquire) : NULL;
}

static void keep_shell(struct nvJitLink *shell)
{
    unsigned slot = atomic_fetch_add_explicit(&next_shell, 1, memory_order_relaxed) % KEPT_SHELLS;
    free(atomic_exchange(&kept_shells[slot], shell));
}

/* Runs when the library is unloaded. */
__attribute__((destructor)) static void free_shells(void)
{
    for (size_t i = 0; i < KEPT_SHELLS; i++)
        free(atomic_exchange(&kept_shells[i], NULL));
}

/* Allocates the shell and the link. */
static struct nvJitLink *create_shell(void)
{
    struct nvJitLink *shell = malloc(sizeof *shell);
    struct jit_link *link = calloc(1, sizeof *link);
    if (!shell || !link) {
        free(shell);
        free(link);
        return NULL;
    }
    atomic_init(&shell->link, link);
    return shell;
}

/* With LTO, passes the link to NVIDIA's library if it is installed. That library must get all
 * inputs, because it optimises inputs of all kinds together. partial.h describes the exception. */
static nvJitLinkResult start(struct jit_link *link)
{
    if (link->options.given[JIT_OPTION_TIME])
        clock_gettime(CLOCK_MONOTONIC, &link->last_time);
    if (!jit_options_want_lto(&link->options))
        return NVJITLINK_SUCCESS;
    return nvidia_start(link);
}

nvJitLinkResult jit_create(nvJitLinkHandle *handle, uint32_t count, const char *const *options)
{
    if (!handle || !options)
        return NVJITLINK_ERROR_NULL_INPUT;
    *handle = create_shell();
    struct jit_link *link = jit_link_of(*handle);
    if (!link)
        return NVJITLINK_ERROR_INTERNAL;
    link->refusal = jit_options_read(&link->options, count, options, &link->errors);
    if (link->refusal == NVJITLINK_SUCCESS)
        link->refusal = start(link);
    return link->refusal;
}

nvJitLinkResult jit_destroy(nvJitLinkHandle *handle)
{
    if (!handle || !*handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    struct jit_link *link = atomic_exchange(&(*handle)->link, NULL);
    if (!link) /* destroyed before, through a copy of the handle */
        return NVJITLINK_ERROR_NULL_INPUT;
    keep_shell(*handle);
    *handle = NULL;
    nvidia_end(link);
    warpld_destroy(link->link);
    jit_inputs_free(link);
    jit_options_free(&link->options);
    jit_log_free(&link->errors);
    jit_log_free(&link->infos);
    free(link);
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult jit_version(unsigned int *major, unsigned int *minor)
{
    if (!major || !minor)
        return NVJITLINK_ERROR_NULL_INPUT;
    *major = jit_release.major;
    *minor = jit_release.minor;
    return NVJITLINK_SUCCESS;
}
