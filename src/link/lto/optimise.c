/* Optimises the LTO-IR of all inputs together, and replaces these inputs with the resulting code.
 *
 * Requires: LOADED (the other objects, whose names the optimised code must keep).
 * Makes: OPTIMISED, one more object, or the output itself.
 * Frozen after: nothing more.
 *
 * Unless the output is PTX, there are three cases:
 *
 * - All names of the LTO-IR must remain, as in a relocatable link: the caller's optimiser makes an
 *   object, which is linked.
 * - No other object takes part in the link: the optimiser makes PTX, which the caller's compiler
 *   compiles as a whole program. The result is the output. nvlink 13.0.88 does the same: its output
 *   has the tool note of ptxas. is_whole_program says when the device runtime takes part.
 * - Otherwise the compiler makes an object from the PTX, which is linked. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/ptx_functions.h"
#include "format/container/host_object.h"
#include "link/image/choose_images.h"
#include "link/image/compile_images.h"
#include "link/image/open_image.h"
#include "link/input/input_passes.h"
#include "link/input/input_state.h"
#include "link/lto/input_options.h"
#include "link/lto/kept_names.h"
#include "link/lto/lto_passes.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/notes/intermediates.h"
#include "link/resolve/host_references.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* What the program uses                                                                         */

struct used_patterns {
    GROWING_ARRAY(const char *, kernels);
    GROWING_ARRAY(const char *, variables);
    bool removes_variables;
};

static void add_patterns(link_context *link, struct used_patterns *used, bool is_of_kernels,
                         struct bytes strings)
{
    struct bytes text;
    while (host_string_next(&strings, &text)) {
        const char *copy =
            arena_copy_string(&link->arena, (const char *)text.data, (size_t)text.size);
        if (text.size && is_of_kernels)
            *ARENA_APPEND(&link->arena, used, kernels) = copy;
        else if (text.size)
            *ARENA_APPEND(&link->arena, used, variables) = copy;
    }
}

/* Adds the kernels and variables that host objects refer to, if the lists of the host objects are
 * complete (host_references_are_complete). nvlink passes them to the optimiser in this case, too.
 * If the lists contain kernels and no variables, nvlink treats all variables as unused (observed in
 * the PTX of nvlink 13.0.88 -emit-ptx). */
static void add_host_references(link_context *link, struct used_patterns *used)
{
    const struct host_object *last = NULL;
    if (!host_references_are_complete(link))
        return;
    for (size_t i = 0; i < link->units_count; i++) {
        const struct host_object *host = link->units[i]->host;
        if (link->units[i]->skipped || !host || host == last)
            continue;
        last = host;
        for (int kind = 0; kind < HOST_REFERENCE_COUNT; kind++)
            add_patterns(link, used, kind == HOST_KERNELS_EXTERNAL || kind == HOST_KERNELS_INTERNAL,
                         host->references[kind]);
    }
    used->removes_variables = used->kernels_count && !used->variables_count;
}

static void collect_used(link_context *link, struct used_patterns *used)
{
    const struct warpld_options *options = &link->options;
    *used = (struct used_patterns){.kernels = NULL};
    for (size_t i = 0; i < options->kernels_used_count; i++)
        *ARENA_APPEND(&link->arena, used, kernels) = options->kernels_used[i];
    for (size_t i = 0; i < options->variables_used_count; i++)
        *ARENA_APPEND(&link->arena, used, variables) = options->variables_used[i];
    add_host_references(link, used);
}

/* --------------------------------------------------------------------------------------------- */
/* The optimiser                                                                                 */

void release_optimised(link_context *link)
{
    const struct warpld_options *options = &link->options;
    if (link->input->unreleased_code && options->release_optimised)
        options->release_optimised(options->optimise_context, link->input->unreleased_code);
    link->input->unreleased_code = NULL;
}

static void report_optimiser(link_context *link, const struct warpld_optimise_result *result)
{
    if (result->problem)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMPILE_REFUSED, NULL, NULL,
                          result->problem);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_OPTIMISE_FAILED, NULL, NULL);
    if (result->remedy)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMPILE_REMEDY, NULL, NULL,
                          result->remedy);
}

static struct bytes copy_code(link_context *link, const void *code, size_t size)
{
    return (struct bytes){(const uint8_t *)arena_copy_string(&link->arena, code, size), size};
}

/* Calls the caller's optimiser. Returns the object if the request keeps all names, and otherwise
 * the PTX, with a NUL after it. Returns no bytes, after reporting an error, if the optimiser
 * fails. */
static struct bytes optimise(link_context *link, const struct warpld_optimise_request *request)
{
    const struct warpld_options *options = &link->options;
    struct warpld_optimise_result *result = ARENA_NEW(&link->arena, struct warpld_optimise_result);
    struct bytes code = {NULL, 0};
    result->size = sizeof *result;
    options->optimise(options->optimise_context, request, result);
    link->input->unreleased_code = result;
    if (request->keep_all && result->object)
        code = copy_code(link, result->object, result->object_size);
    else if (!request->keep_all && result->ptx)
        code = copy_code(link, result->ptx, result->ptx_size);
    else
        report_optimiser(link, result);
    release_optimised(link);
    return code;
}

static struct warpld_intermediate *list_inputs(link_context *link)
{
    const struct input_state *input = link->input;
    struct warpld_intermediate *inputs =
        ARENA_ARRAY(&link->arena, struct warpld_intermediate, input->intermediates_count);
    for (size_t i = 0; i < input->intermediates_count; i++) {
        const struct intermediate *intermediate = &input->intermediates[i];
        const struct input_unit *unit = intermediate->unit;
        inputs[i] = (struct warpld_intermediate){
            .name = unit->name,
            .data = unit->contents.data,
            .data_size = (size_t)unit->contents.size,
            .is_fat_binary = unit->kind == UNIT_FATBIN,
            .version = intermediate->version,
            .minor = intermediate->minor,
        };
    }
    return inputs;
}

/* Returns a request for the optimiser, in which the lists of functions and variables are still
 * empty. */
static struct warpld_optimise_request request_of(link_context *link,
                                                 const struct input_options *options)
{
    char target[16];
    link_target_name(link, target);
    return (struct warpld_optimise_request){
        .size = sizeof(struct warpld_optimise_request),
        .architecture = arena_copy_string(&link->arena, target, strlen(target)),
        .debug = link_is_for_debugger(link),
        .inputs = list_inputs(link),
        .inputs_count = link->input->intermediates_count,
        .max_registers = options->max_registers,
        .split_compile = options->split_compile,
    };
}

/* Adds the variables that objects without LTO-IR refer to, and their weak variables in `kept`. The
 * LTO-IR may define such a weak variable, too. If the list lacked the variable, the optimiser would
 * make the LTO-IR's definition internal, and the program would have two definitions. */
static void use_kept_variables(link_context *link, struct used_patterns *used,
                               const struct kept_names *kept)
{
    for (size_t i = 0; i < kept->variables_count; i++)
        *ARENA_APPEND(&link->arena, used, variables) = kept->variables[i];
    for (size_t i = 0; i < kept->names_count; i++)
        if (kept->names[i].variable_size)
            *ARENA_APPEND(&link->arena, used, variables) = kept->names[i].name;
}

static const char *compiler_options(link_context *link, const struct input_options *options)
{
    const char *text = "";
    if (options->max_registers)
        text = arena_format(&link->arena, "-maxrregcount=%u", options->max_registers);
    if (options->split_compile)
        text = arena_format(&link->arena, "%s -split-compile=%u", text, options->split_compile);
    return *text ? text : NULL;
}

/* True if the link has an object that neither is made from LTO-IR nor belongs to the device
 * runtime. */
static bool has_other_objects(const link_context *link)
{
    for (size_t i = 0; i < link->objects_count; i++)
        if (!link->objects[i]->unit->is_runtime)
            return true;
    return false;
}

/* Makes PTX from the LTO-IR. The PTX keeps the names in `kept` and the names that options or host
 * objects list. `compilation` describes how the PTX will be compiled; NULL if it will not be. */
static struct bytes make_ptx(link_context *link, const struct input_options *options,
                             const struct kept_names *kept,
                             const struct warpld_compile_request *compilation)
{
    struct used_patterns used;
    struct warpld_optimise_request request = request_of(link, options);
    collect_used(link, &used);
    if (used.variables_count || used.removes_variables)
        use_kept_variables(link, &used, kept);
    request.is_part = has_other_objects(link);
    request.kept = kept->names;
    request.kept_count = kept->names_count;
    request.kernels_used = used.kernels;
    request.kernels_used_count = used.kernels_count;
    request.variables_used = used.variables;
    request.variables_used_count = used.variables_count;
    request.remove_unused_variables = used.removes_variables && !used.variables_count;
    request.compilation = compilation;
    return optimise(link, &request);
}

/* --------------------------------------------------------------------------------------------- */
/* Whole programs                                                                                */

/* True if the PTX is compiled as a whole program. As in nvlink 13.0.88, this requires that no other
 * object takes part in the link. Objects of the device runtime take part only if the PTX needs
 * functions that the driver does not have, and if optimise_whole_program is not set. In a whole
 * program, ptxas reports undefined functions; otherwise the link reports them. */
static bool is_whole_program(link_context *link, struct bytes ptx)
{
    if (has_other_objects(link))
        return false;
    return !link->objects_count || link->options.optimise_whole_program ||
           !ptx_needs_functions((const char *)ptx.data);
}

/* --------------------------------------------------------------------------------------------- */
/* The code                                                                                      */

static void insert_object(link_context *link, struct input_object *object)
{
    size_t position = link->input->optimised_position;
    *ARENA_APPEND(&link->arena, link, objects) = NULL;
    for (size_t i = link->objects_count - 1; i > position; i--) {
        link->objects[i] = link->objects[i - 1];
        link->objects[i]->position = (uint32_t)i;
    }
    object->position = (uint32_t)position;
    link->objects[position] = object;
}

/* Compiles the LTO-IR into an object that keeps all names, and adds the object to the link. If the
 * output is PTX, the object is not added; it only provides the names that the PTX must keep. */
static void optimise_partially(link_context *link, struct input_object *object,
                               const struct input_options *options)
{
    struct warpld_optimise_request request = request_of(link, options);
    struct kept_names kept;
    request.keep_all = true;
    object->file = optimise(link, &request);
    if (!object->file.data || !open_image(link, object))
        return;
    if (!link->options.output_ptx) {
        insert_object(link, object);
        return;
    }
    kept_names_of(link, &kept, object);
    link->finished = make_ptx(link, options, &kept, NULL);
}

static void finish(link_context *link, struct bytes program)
{
    list_objects_of_whole_program(link);
    link->finished = program;
}

static void optimise_for_others(link_context *link, struct input_object *object,
                                const struct input_options *options)
{
    bool emits_ptx = link->options.output_ptx;
    struct kept_names kept;
    kept_names_collect(link, &kept);
    struct warpld_compile_request *compilation = request_for_optimised(
        link, object, compiler_options(link, options), !has_other_objects(link));
    struct bytes ptx = make_ptx(link, options, &kept, emits_ptx ? NULL : compilation);
    if (!ptx.data)
        return;
    if (emits_ptx) {
        link->finished = ptx;
        return;
    }
    link->input->optimised_ptx = ptx;
    compilation->ptx = (const char *)ptx.data;
    compilation->ptx_size = (size_t)ptx.size;
    compilation->is_whole_program = is_whole_program(link, ptx);
    if (!compile_optimised(link, object, compilation))
        report_intermediates(link, NULL);
    else if (compilation->is_whole_program)
        finish(link, object->file);
    else if (open_image(link, object))
        insert_object(link, object);
}

/* Warns that no input has LTO-IR. With -Werror, nvlink 13.0.88 ends the link after this warning. */
static void report_without_ir(link_context *link)
{
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_IGNORED, NULL, NULL);
    if (diagnostics_failed(&link->diagnostics))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_MERGE_FAILED, NULL, NULL);
}

void pass_optimise(link_context *link)
{
    struct input_object *object = link->input->optimised;
    bool keeps_all = link->options.relocatable || link->options.optimise_partially;
    struct input_options options;
    if (!object) {
        if (link->options.optimise && link->objects_count)
            report_without_ir(link);
    } else if (input_options_collect(link, &options)) {
        (keeps_all ? optimise_partially : optimise_for_others)(link, object, &options);
    }
}
