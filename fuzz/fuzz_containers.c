/* Links any bytes as an input file: a fat binary, host object, archive, cubin or text.
 *
 * The first byte chooses options, the rest is the file. A link must succeed or report an error, and
 * not both. The PTX compiler is one that never succeeds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "warpld.h"

static void count_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    if (!diagnostic->code || !diagnostic->text)
        abort();
    *(unsigned *)context += diagnostic->severity >= WARPLD_ERROR;
}

static void compile_nothing(void *context, const struct warpld_compile_request *requests,
                            struct warpld_compile_result *results, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        if (!requests[i].name || results[i].cubin)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned errors = 0;
    unsigned bits = size ? data[0] : 0;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = bits & 1 ? "sm_90" : "sm_80";
    options.diagnostic = count_diagnostic;
    options.diagnostic_context = &errors;
    options.as_nvlink = bits & 2;
    options.skip_linked_before = bits & 4;
    options.compile = bits & 8 ? compile_nothing : NULL;
    struct warpld_link *link;
    if (warpld_create(&options, &link) != WARPLD_OK)
        return 0;
    warpld_add_memory(link, bits & 16 ? "libcudadevrt.a" : "input", data + (size > 0),
                      size ? size - 1 : 0);
    enum warpld_status status = warpld_run(link);
    if ((status == WARPLD_OK) == (errors > 0))
        abort();
    struct warpld_linked_object object = {.size = sizeof object};
    for (size_t i = 0; warpld_get_linked_object(link, i, &object) == WARPLD_OK; i++)
        if (!object.name || (object.module_id && strlen(object.module_id) > size))
            abort();
    warpld_destroy(link);
    return 0;
}
