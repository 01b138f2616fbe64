/* Compiles PTX with the caller's compiler; see compile_images.h. */
#include "link/image/compile_images.h"

#include <string.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/architecture.h"
#include "link/input/held_messages.h"
#include "link/input/input_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "warpld.h"

/* For a target with suffix f, PTX is compiled for the same target without the suffix, whatever
 * target the PTX was written for. nvlink does the same (observed in the tool note that ptxas writes
 * when nvlink calls it), and ptxas accepts this PTX. */
void name_compiled_target(const link_context *link, char name[16])
{
    struct architecture compiled = *link->target;
    if (compiled.suffix == SUFFIX_FAMILY)
        compiled.suffix = SUFFIX_PLAIN;
    architecture_name(&compiled, name);
}

static void report_failure(link_context *link, const char *name,
                           const struct warpld_compile_result *result)
{
    struct diagnostics *diagnostics = &link->diagnostics;
    if (result->problem)
        diagnostic_report(diagnostics, DIAGNOSTIC_COMPILE_REFUSED, name, NULL, result->problem);
    else
        diagnostic_report(diagnostics, DIAGNOSTIC_COMPILE_FAILED, name, NULL);
    if (result->problem && !result->line && !result->remedy)
        return; /* the options of the link are at fault, not the PTX */
    if (result->line)
        diagnostic_report(diagnostics, DIAGNOSTIC_COMPILE_LINE, name, NULL, name,
                          (unsigned long long)result->line);
    else
        diagnostic_report(diagnostics, DIAGNOSTIC_COMPILE_INPUT, name, NULL, name);
    if (result->remedy)
        diagnostic_report(diagnostics, DIAGNOSTIC_COMPILE_REMEDY, name, NULL, result->remedy);
}

/* Copies the result of one compilation, and first shows the held messages about earlier inputs. If
 * the text could not be compiled, drops the messages about later inputs and returns false. */
static bool take_result(struct image_choice *choice, size_t index,
                        const struct warpld_compile_result *result)
{
    link_context *link = choice->link;
    const struct warpld_options *options = &link->options;
    show_held_messages(link, index);
    if (options->report_compiled)
        options->report_compiled(options->compile_context, index);
    if (!result->cubin) {
        drop_held_messages(link);
        report_failure(link, choice->requests[index].name, result);
        return false;
    }
    uint8_t *copy = ARENA_ARRAY(&link->arena, uint8_t, result->cubin_size);
    memcpy(copy, result->cubin, result->cubin_size);
    choice->compiled[index]->file = (struct bytes){copy, result->cubin_size};
    return true;
}

static void compile(struct image_choice *choice, size_t count)
{
    link_context *link = choice->link;
    const struct warpld_options *options = &link->options;
    struct warpld_compile_result *results =
        ARENA_ARRAY(&link->arena, struct warpld_compile_result, count);
    for (size_t i = 0; i < count; i++)
        results[i].size = sizeof *results;
    options->compile(options->compile_context, choice->requests, results, count);
    link->input->unreleased = results;
    link->input->unreleased_count = count;
    for (size_t i = 0; i < count && take_result(choice, i, &results[i]); i++)
        ;
    release_compiled(link);
}

/* Returns the number of PTX texts to compile. If a message ends the link, only the texts that
 * precede this message are compiled. */
static size_t count_to_compile(const struct image_choice *choice)
{
    const struct held_messages *held = &choice->link->input->held;
    if (!diagnostics_failed(&choice->link->diagnostics))
        return choice->requests_count;
    return held->messages_count ? held->messages[held->messages_count - 1].texts_before : 0;
}

void compile_images(struct image_choice *choice)
{
    link_context *link = choice->link;
    size_t count = count_to_compile(choice);
    if (count && link->options.compile) {
        compile(choice, count);
    } else if (count) {
        drop_held_messages(link);
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_COMPILER, choice->requests[0].name,
                          NULL, choice->requests[0].name);
    }
    show_all_held_messages(link);
}

struct warpld_compile_request *request_for_optimised(link_context *link,
                                                     const struct input_object *object,
                                                     const char *options, bool is_whole_program)
{
    struct warpld_compile_request *request = ARENA_NEW(&link->arena, struct warpld_compile_request);
    char target[16];
    name_compiled_target(link, target);
    *request = (struct warpld_compile_request){
        .size = sizeof *request,
        .name = object->name,
        .architecture = arena_copy_string(&link->arena, target, strlen(target)),
        .debug = link_is_for_debugger(link),
        .options = options,
        .is_whole_program = is_whole_program,
        .is_optimised = true,
    };
    return request;
}

bool compile_optimised(link_context *link, struct input_object *object,
                       const struct warpld_compile_request *request)
{
    struct image_choice choice = {.link = link};
    *ARENA_APPEND(&link->arena, &choice, requests) = *request;
    *ARENA_APPEND(&link->arena, &choice, compiled) = object;
    compile_images(&choice);
    return object->file.data;
}

void release_compiled(link_context *link)
{
    const struct warpld_options *options = &link->options;
    if (link->input->unreleased && options->release_compiled)
        options->release_compiled(options->compile_context, link->input->unreleased,
                                  link->input->unreleased_count);
    link->input->unreleased = NULL;
}
