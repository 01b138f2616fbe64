/* Adds inputs: checks each against its type and the target, and compiles PTX.
 *
 * An input that is refused takes no part in the link. The texts of the error log are those of
 * NVIDIA's libraries, some of which have no space before the name. */
#include "nvjitlink/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvjitlink/calls.h"
#include "nvjitlink/linking.h"
#include "nvjitlink/log.h"
#include "nvjitlink/nvidia.h"
#include "nvjitlink/options.h"
#include "nvjitlink/ptx.h"
#include "nvjitlink/release.h"
#include "warpld.h"
#include "warpld_nvjitlink.h"

/* The names of the types that can be added, without NVJITLINK_INPUT_, and what each contains. */
struct type_row {
    const char *name; /* NULL: no such type */
    enum warpld_content content;
    enum warpld_content other; /* a second content that is accepted; UNKNOWN: none */
};

static const struct type_row TYPES[] = {
    [NVJITLINK_INPUT_CUBIN] = {"CUBIN", WARPLD_CONTENT_CUBIN, WARPLD_CONTENT_UNKNOWN},
    [NVJITLINK_INPUT_PTX] = {"PTX", WARPLD_CONTENT_PTX, WARPLD_CONTENT_UNKNOWN},
    [NVJITLINK_INPUT_LTOIR] = {"LTOIR", WARPLD_CONTENT_LTO_IR, WARPLD_CONTENT_UNKNOWN},
    [NVJITLINK_INPUT_FATBIN] = {"FATBIN", WARPLD_CONTENT_FATBIN, WARPLD_CONTENT_UNKNOWN},
    [NVJITLINK_INPUT_OBJECT] = {"OBJECT", WARPLD_CONTENT_HOST_OBJECT, WARPLD_CONTENT_CUBIN},
    [NVJITLINK_INPUT_LIBRARY] = {"LIBRARY", WARPLD_CONTENT_ARCHIVE, WARPLD_CONTENT_UNKNOWN},
    [NVJITLINK_INPUT_INDEX] = {"INDEX", WARPLD_CONTENT_UNIFIED_INDEX, WARPLD_CONTENT_UNKNOWN},
};

static bool is_type(nvJitLinkInputType type)
{
    unsigned number = (unsigned)type;
    return type == NVJITLINK_INPUT_ANY ||
           (number < sizeof TYPES / sizeof *TYPES && TYPES[number].name);
}

/* --------------------------------------------------------------------------------------------- */
/* Copies                                                                                        */

static void free_input(struct jit_input *input)
{
    free(input->name);
    free(input->data);
    *input = (struct jit_input){.data = NULL};
}

void jit_inputs_free(struct jit_link *link)
{
    for (size_t i = 0; i < link->inputs_count; i++)
        free_input(&link->inputs[i]);
    free(link->inputs);
    ptx_free_compiled(link);
}

static bool reserve_input(struct jit_link *link)
{
    if (link->inputs_count < link->inputs_capacity)
        return true;
    size_t capacity = link->inputs_capacity ? 2 * link->inputs_capacity : 4;
    struct jit_input *inputs = realloc(link->inputs, capacity * sizeof *inputs);
    if (!inputs)
        return false;
    link->inputs = inputs;
    link->inputs_capacity = capacity;
    return true;
}

struct jit_input *jit_input_copy(struct jit_link *link, const void *data, size_t size,
                                 const char *name)
{
    size_t name_size = strlen(name) + 1;
    if (!reserve_input(link))
        return NULL;
    struct jit_input *input = &link->inputs[link->inputs_count];
    *input = (struct jit_input){malloc(name_size), malloc(size + 1), size, false};
    if (!input->name || !input->data) {
        free_input(input);
        return NULL;
    }
    memcpy(input->name, name, name_size);
    memcpy(input->data, data, size);
    return input;
}

/* --------------------------------------------------------------------------------------------- */
/* Checks                                                                                        */

/* Checks that the content is of the type. */
static nvJitLinkResult check_type(struct jit_link *link, const struct warpld_examined *examined,
                                  nvJitLinkInputType type, const char *name)
{
    enum warpld_content content = examined->content;
    if (type == NVJITLINK_INPUT_ANY) {
        if (content != WARPLD_CONTENT_UNKNOWN)
            return NVJITLINK_SUCCESS;
        jit_log_print(&link->errors, "unrecognized input type: %s\n", name);
        return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    }
    const struct type_row *row = &TYPES[type];
    if (content != WARPLD_CONTENT_UNKNOWN && (content == row->content || content == row->other))
        return NVJITLINK_SUCCESS;
    jit_log_print(&link->errors, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_%s%s\n",
                  row->name, name);
    return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
}

static nvJitLinkResult refuse_damaged(struct jit_link *link, const struct warpld_examined *examined,
                                      const char *name)
{
    if (examined->content == WARPLD_CONTENT_CUBIN) {
        jit_log_print(&link->errors, "ERROR 1: bad input: malformed cubin ELF%s\n", name);
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    if (examined->content == WARPLD_CONTENT_ARCHIVE) {
        jit_log_print(&link->errors, "ERROR 1: library processing:%s\n", name);
        return NVJITLINK_ERROR_INTERNAL;
    }
    jit_log_print(&link->errors, "ERROR 1: bad input: %s: %s\n", examined->problem, name);
    return NVJITLINK_ERROR_INVALID_INPUT;
}

static nvJitLinkResult refuse_target(struct jit_link *link, const struct warpld_examined *examined,
                                     const char *name)
{
    bool is_cubin = examined->content == WARPLD_CONTENT_CUBIN;
    if (!link->options.target.is_known)
        jit_log_print(&link->errors, "ERROR: libwarpld does not link for the target of %s: %s\n",
                      link->options.target_argument, name);
    else if (is_cubin)
        jit_log_print(&link->errors, "ERROR 4: bad input:%s\n", name);
    else
        jit_log_print(&link->errors, "ERROR 3: bad input: %s\n", name);
    return NVJITLINK_ERROR_INVALID_INPUT;
}

/* Refuses an input with LTO-IR. With -lto, the reason is that NVIDIA's library is missing. Without
 * -lto, only an input that has no other code for the target is refused, because it needs -lto. */
static nvJitLinkResult refuse_lto(struct jit_link *link, const char *name)
{
    if (!jit_options_want_lto(&link->options)) {
        jit_log_print(&link->errors, "%s", jit_release.lto_not_enabled);
        return NVJITLINK_ERROR_LTO_NOT_ENABLED;
    }
    link->lacks_lto = true;
    nvidia_report_missing(link, name);
    return NVJITLINK_ERROR_NVVM_COMPILE;
}

static bool needs_lto(const struct jit_link *link, const struct warpld_examined *examined)
{
    bool has_other = examined->has_code || examined->has_ptx;
    return examined->has_lto_ir && (!has_other || jit_options_want_lto(&link->options));
}

/* --------------------------------------------------------------------------------------------- */
/* Adding                                                                                        */

/* Stores the index file, which libwarpld takes as an option of the link instead of an input. */
static nvJitLinkResult take_index(struct jit_link *link, struct jit_input *input)
{
    input->is_index = true;
    link->index = input->data;
    link->index_size = input->size;
    link->inputs_count++;
    return NVJITLINK_SUCCESS;
}

/* Checks an input whose contents are of its type, and refuses it or adds it to the link. */
static nvJitLinkResult take_input(struct jit_link *link, struct jit_input *input,
                                  const struct warpld_examined *examined)
{
    if (examined->problem)
        return refuse_damaged(link, examined, input->name);
    if (examined->content == WARPLD_CONTENT_UNIFIED_INDEX)
        return take_index(link, input);
    if (examined->content == WARPLD_CONTENT_LTO_IR || needs_lto(link, examined))
        return refuse_lto(link, input->name);
    if (examined->lacks_target || !link->options.target.is_known)
        return refuse_target(link, examined, input->name);
    nvJitLinkResult result = NVJITLINK_SUCCESS;
    if (examined->content == WARPLD_CONTENT_PTX)
        result = ptx_compile_input(link, input);
    else if (examined->has_ptx)
        result = ptx_compile_container(link, input);
    if (result != NVJITLINK_SUCCESS)
        return result;
    if (warpld_add_memory(link->link, input->name, input->data, input->size) != WARPLD_OK)
        return NVJITLINK_ERROR_INTERNAL;
    link->inputs_count++;
    if (jit_release.times_additions)
        linking_report_time(link, "nvJitLink time until Add_Cubin");
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult add_copy(struct jit_link *link, nvJitLinkInputType type, const void *data,
                                size_t size, const char *name)
{
    struct warpld_examined examined = {.size = sizeof examined};
    struct jit_input *input = linking_start(link) ? jit_input_copy(link, data, size, name) : NULL;
    if (!input)
        return NVJITLINK_ERROR_INTERNAL;
    size_t count = link->inputs_count;
    nvJitLinkResult result = NVJITLINK_ERROR_INTERNAL;
    if (warpld_examine(link->link, input->data, size, &examined) == WARPLD_OK)
        result = check_type(link, &examined, type, name);
    if (result == NVJITLINK_SUCCESS)
        result = take_input(link, input, &examined);
    if (link->inputs_count == count)
        free_input(input);
    return result;
}

/* Checks the arguments of the call, and whether inputs can still be added. Ignores the contents. */
static nvJitLinkResult check_call(struct jit_link *link, nvJitLinkInputType type, const void *data,
                                  size_t size, const char *name)
{
    if (link->refusal != NVJITLINK_SUCCESS)
        return link->refusal == NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS ? link->refusal
                                                                     : NVJITLINK_ERROR_INTERNAL;
    if (!data || !size)
        return NVJITLINK_ERROR_INVALID_INPUT;
    if (!is_type(type)) {
        jit_log_print(&link->errors, "unsupported input type: %s\n", name);
        return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    }
    if (!link->is_complete)
        return NVJITLINK_SUCCESS;
    jit_log_print(&link->errors, "ERROR 1: empty elfw when adding cubin%s\n", name);
    return NVJITLINK_ERROR_INTERNAL;
}

nvJitLinkResult jit_add_data(nvJitLinkHandle handle, nvJitLinkInputType type, const void *data,
                             size_t size, const char *name)
{
    struct jit_link *link = jit_link_of(handle);
    if (!link)
        return NVJITLINK_ERROR_NULL_INPUT;
    const char *shown = name ? name : "(null)";
    nvJitLinkResult result = check_call(link, type, data, size, shown);
    if (result != NVJITLINK_SUCCESS)
        return result;
    if (link->nvidia)
        return nvidia_add(link, type, data, size, name);
    if (type == NVJITLINK_INPUT_PTX) /* the text ends at its NUL */
        size = strnlen(data, size);
    return add_copy(link, type, data, size, shown);
}

/* --------------------------------------------------------------------------------------------- */
/* Files                                                                                         */

/* Returns the contents of a file, or NULL if the file cannot be read. */
static void *read_file(const char *path, size_t *size)
{
    enum { FIRST_CAPACITY = 1 << 16 };
    FILE *file = fopen(path, "rbe");
    size_t capacity = FIRST_CAPACITY;
    char *data = file ? malloc(capacity) : NULL;
    *size = 0;
    for (size_t got = 1; data && got;) {
        got = fread(data + *size, 1, capacity - *size, file);
        *size += got;
        if (*size < capacity)
            continue;
        capacity *= 2;
        char *larger = realloc(data, capacity);
        if (!larger)
            free(data);
        data = larger;
    }
    if (data && ferror(file)) {
        free(data);
        data = NULL;
    }
    if (file)
        fclose(file);
    return data;
}

nvJitLinkResult jit_add_file(nvJitLinkHandle handle, nvJitLinkInputType type, const char *path)
{
    struct jit_link *link = jit_link_of(handle);
    if (!link || !path)
        return NVJITLINK_ERROR_NULL_INPUT;
    size_t size;
    void *data = read_file(path, &size);
    if (!data) {
        jit_log_print(&link->errors, "no such file: %s\n", path);
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    if (!size)
        jit_log_print(&link->errors, "bad input: %s\n", path);
    nvJitLinkResult result = jit_add_data(handle, type, data, size, path);
    free(data);
    return result;
}
