/* Chooses the images and opens them.
 *
 * Requires: OPENED (units).
 * Makes: LOADED, a validated view of every relocatable device object, in the order of the inputs.
 * Frozen after: nothing more.
 *
 * The pass reports inputs that are damaged, foreign or for another target. As far as possible it
 * reports them in the order of the inputs, so that the first message names the first input that
 * ends the link. */
#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/image/choose_images.h"
#include "link/image/compile_images.h"
#include "link/image/open_image.h"
#include "link/image/prepare_images.h"
#include "link/input/held_messages.h"
#include "link/input/input_state.h"
#include "link/input/input_targets.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/prepared/prepared_inputs.h"

static void report_empty(link_context *link)
{
    char target[16];
    link_target_name(link, target);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_NOTHING_FITS, NULL, NULL, target);
    input_targets_report_others(link, target);
}

/* Called after an error. If a host object, a fat binary, PTX or an archive of -l follows the input
 * with the error, ends the link and returns true. As in nvlink 13.0.88 with -Werror, other inputs
 * that follow do not end the link. `hosts_at_error` is the number of host objects up to the input
 * with the error, and `hosts` is the number of host objects so far. `next` is the next unit, or
 * NULL. */
static bool give_up_on_unit_errors(link_context *link, uint32_t hosts_at_error, uint32_t hosts,
                                   const struct input_unit *next)
{
    if (hosts > hosts_at_error)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_FAILED, NULL, NULL);
    else if (next && !next->host && (next->kind == UNIT_FATBIN || next->kind == UNIT_PTX))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMPILE_FAILED, NULL, NULL);
    return link->diagnostics.fatals;
}

/* Chooses the image of each unit. Machine code is checked immediately, and PTX after it is
 * compiled. */
static void take_units(link_context *link, struct image_choice *choice)
{
    uint32_t hosts_at_error = 0;
    if (link->diagnostics.errors &&
        link->input->libraries_count) /* an error ends the link at the first archive of -l */
        give_up_on_unit_errors(link, 0, 1, NULL);
    for (size_t i = 0; i < link->units_count && !link->diagnostics.fatals; i++) {
        struct input_unit *unit = link->units[i];
        size_t images = link->input->images_count;
        bool failed = link->diagnostics.errors;
        bool is_skipped = unit->skipped && unit->kind != UNIT_FATBIN;
        if (is_skipped ||
            (failed && give_up_on_unit_errors(link, hosts_at_error, unit->hosts_before, unit)))
            continue;
        choose_image(choice, unit);
        if (link->input->images_count > images && image_has_bytes(link->input->images[images]))
            link->input->images[images]->fits = open_image(link, link->input->images[images]);
        if (!failed)
            hosts_at_error = unit->hosts_before;
    }
    if (link->diagnostics.errors && !link->diagnostics.fatals)
        give_up_on_unit_errors(link, hosts_at_error, link->input->host_object_count, NULL);
}

static void take_compiled(link_context *link, const struct image_choice *choice)
{
    for (size_t i = 0; i < choice->compiled_count && !link->diagnostics.fatals; i++)
        choice->compiled[i]->fits = open_image(link, choice->compiled[i]);
}

static bool lacks_target(const link_context *link, const struct input_file *file)
{
    for (uint32_t i = 0; i < file->units_count; i++)
        if (!link->units[file->first_unit + i]->lacks_target)
            return false;
    return file->units_count;
}

/* Reports libraries of -l in which no member has code for the target. If only some members have no
 * such code, which is usual, the library is not reported. nvlink reports none of these
 * libraries. */
static void report_libraries_for_others(link_context *link)
{
    char target[16];
    if (link->options.as_nvlink || link->options.suppress_arch_warning)
        return;
    link_target_name(link, target);
    for (size_t i = 0; i < link->input->libraries_count; i++) {
        const char *name = link->input->libraries[i]->name;
        if (lacks_target(link, link->input->libraries[i]))
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_IMAGE, name, NULL, target, name);
    }
}

static const struct input_object *first_of_abi(const link_context *link, unsigned abi)
{
    for (size_t i = 0; i < link->objects_count; i++)
        if (elf_view_abi(&link->objects[i]->elf) == abi)
            return link->objects[i];
    return NULL;
}

/* Refuses objects of CUDA 13 in an output of ABI version 7, because their code can need features
 * that drivers of CUDA 12 do not have. */
static void check_output_abi(link_context *link)
{
    const struct input_object *newer = first_of_abi(link, ABIVERSION_CUDA);
    if (!link_writes_abi_12(link) || !newer)
        return;
    const struct input_object *older = first_of_abi(link, ABIVERSION_CUDA_12);
    if (older)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_ABI_MIXED, newer->name, NULL,
                          newer->name, older->name);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_ABI_NEWER, newer->name, NULL,
                          newer->name);
}

static void take_prepared(link_context *link)
{
    const struct input_state *input = link->input;
    if (!link->options.find_prepared)
        return;
    for (size_t i = 0; i < input->files_count; i++)
        prepared_input_take(link, input->files[i]);
    for (size_t i = 0; i < input->libraries_count; i++)
        prepared_input_take(link, input->libraries[i]);
}

static void keep_prepared(link_context *link)
{
    const struct input_state *input = link->input;
    size_t object = 0;
    if (!link->options.keep_prepared)
        return;
    for (size_t i = 0; i < input->files_count; i++)
        prepared_input_keep(link, input->files[i], &object);
    for (size_t i = 0; i < input->libraries_count; i++)
        prepared_input_keep(link, input->libraries[i], &object);
}

/* Opens the images of all units and collects those that can be linked. */
void pass_load(link_context *link)
{
    struct image_choice choice = {.link = link};
    name_compiled_target(link, choice.target);
    hold_messages(link);
    take_prepared(link);
    prepare_images(link);
    take_units(link, &choice);
    report_libraries_for_others(link);
    compile_images(&choice);
    if (!diagnostics_failed(&link->diagnostics))
        take_compiled(link, &choice);
    for (size_t i = 0; i < link->input->images_count; i++) {
        if (link->input->images[i] == link->input->optimised)
            link->input->optimised_position = link->objects_count;
        if (!link->input->images[i]->fits)
            continue;
        link->input->images[i]->position = (uint32_t)link->objects_count;
        *ARENA_APPEND(&link->arena, link, objects) = link->input->images[i];
    }
    if (!diagnostics_failed(&link->diagnostics))
        keep_prepared(link);
    check_output_abi(link);
    bool has_code = link->units_count || link->input->has_unusable_code;
    bool is_empty = !link->objects_count && !link->input->optimised && has_code;
    if (is_empty && !link->options.allow_empty && !diagnostics_failed(&link->diagnostics))
        report_empty(link);
}
