/* Reports kernels of old compilers that have more than 4 KB of parameters.
 *
 * Requires: MERGED (how many parameters were read), NAMES_CHECKED (its errors come first).
 * Makes: PARAMETERS_CHECKED, errors.
 * Frozen after: nothing more. */
#include "base/diagnostic.h"
#include "link/merge/merge_state.h"
#include "link/model/link_context.h"
#include "link/resources/resources_passes.h"

/* For targets below sm_90: reports kernels with more than 4 KB of parameters if some object comes
 * from a compiler before CUDA 12.1, because these compilers assign other addresses to parameters.
 * Like nvlink, reports one message for each parameter of such a kernel, even if the kernel is
 * removed (observed for sm_75 to sm_89). */
void pass_check_large_parameters(link_context *link)
{
    enum { FIRST_TOOLKIT = 121, FIRST_SM_WITHOUT = 90 };
    bool old = false;
    if (!link->merge->large_parameters)
        return;
    for (size_t i = 0; i < link->objects_count; i++)
        old |= link->objects[i]->toolkit < FIRST_TOOLKIT;
    if (!old || link->target->number >= FIRST_SM_WITHOUT)
        return;
    for (uint64_t i = 0; i < link->merge->large_parameters; i++)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LARGE_PARAMETERS, NULL, NULL);
}
