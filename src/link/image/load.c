/* Chooses the images and opens them.
 *
 * Requires: OPENED (units).
 * Makes: LOADED, a validated view of every relocatable device object, in the order of the inputs.
 * Frozen after: nothing more.
 *
 * The pass reports inputs that are damaged, foreign or for another target. As far as possible it
 * reports them in the order of the inputs, so that the first message names the first input that
 * ends the link. */
#include "link/image/load.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/note.h"
#include "format/section_type.h"
#include "link/image/choose_images.h"
#include "link/image/compile_images.h"
#include "link/image/prepare_images.h"
#include "link/image/unknown_sections.h"
#include "link/input/held_messages.h"
#include "link/input/input_state.h"
#include "link/input/input_targets.h"
#include "link/input/shared_inputs.h"
#include "link/model/compat.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/whole_programs.h"
#include "link/prepared/prepared_inputs.h"
#include "warpld.h"

/* The state of the validation of one object. An object that breaks a rule is refused at the first
 * violation; `cubintool verify` lists all violations. Some rules are exceptions (elf_rules.def): a
 * violation causes a warning, and the object is linked anyway. With as_nvlink, warpld does not warn
 * about exceptions. */
struct damage {
    link_context *link;
    struct input_object *object;
    enum elf_rule last_exception; /* the last exception that was reported */
    uint32_t section;             /* index of the section that `place` names */
    const char *place;            /* the section or file header, for messages; NULL: none so far */
};

/* Returns the text that says where the violation is. Violations of one section share the text,
 * because a small file can have thousands of them in a section with a long name. */
static const char *place_of(struct damage *damage, const struct elf_problem *problem)
{
    link_context *link = damage->link;
    if (damage->place && damage->section == problem->section)
        return damage->place;
    damage->section = problem->section;
    damage->place = problem->section_name && *problem->section_name
                        ? arena_format(&link->arena, "section %s", problem->section_name)
                    : problem->section ? arena_format(&link->arena, "section %u", problem->section)
                                       : "file header";
    return damage->place;
}

static bool report_damage(void *context, const struct elf_problem *problem)
{
    struct damage *damage = context;
    link_context *link = damage->link;
    bool is_exception = elf_rule_is_exception(problem->rule);
    damage->object->has_exceptions |= is_exception;
    if (is_exception && (link->options.as_nvlink || problem->rule == damage->last_exception))
        return true;
    enum diagnostic_name message =
        is_exception ? DIAGNOSTIC_INPUT_EXCEPTION : DIAGNOSTIC_INPUT_DAMAGED;
    diagnostic_report(&link->diagnostics, message, damage->object->name, NULL, damage->object->name,
                      place_of(damage, problem), elf_rule_text(problem->rule),
                      elf_rule_slug(problem->rule));
    damage->last_exception = problem->rule;
    return is_exception;
}

static void report_input(link_context *link, enum diagnostic_name message,
                         const struct input_object *object)
{
    diagnostic_report(&link->diagnostics, message, object->name, NULL, object->name);
}

/* Reads the virtual SM and the toolkit of an object of ABI version 7 from the file header. Objects
 * of ABI version 8 have these facts in the cuinfo note. */
static void read_header(struct input_object *object)
{
    object->virtual_sm = object->elf.flags >> EF_12_VIRTUAL_SM_SHIFT & 0xff;
    object->toolkit =
        (uint16_t)(object->elf.version < UINT16_MAX ? object->elf.version : UINT16_MAX);
}

/* Recognises the vendor's notes by the size of their name, because nvlink 13.0.88 does not read the
 * name itself (observed with other names of the same size, for sm_80, sm_90 and sm_100). */
static bool is_expected_note(const struct note *note, uint32_t type)
{
    return note->name.size == sizeof NOTE_VENDOR && note->type == type;
}

/* Finds the last note of this type in the note sections that have the flag `mark`. */
static bool find_note(const struct elf_view *elf, uint32_t mark, uint32_t type, struct note *found)
{
    bool any = false;
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (section->type != SHT_NOTE || !(section->flags & mark))
            continue;
        struct bytes rest = {section->data, section->size};
        struct note note;
        while (note_next(&rest, &note))
            if (is_expected_note(&note, type)) {
                *found = note;
                any = true;
            }
    }
    return any;
}

/* Reads the virtual SM and the toolkit of an object of ABI version 8. Version 1 of the cuinfo note,
 * which ptxas 12.8 and 12.9 write from sm_100 on, does not contain the toolkit. In this case the
 * toolkit is in the tkinfo note, in the field that later tkinfo notes use for their own version
 * (observed with patched notes). */
static void read_notes(struct input_object *object)
{
    struct note note, tool;
    struct note_cuinfo cuinfo;
    if (!find_note(&object->elf, SHF_CUINFO_NOTE, NT_CUINFO, &note) ||
        !note_read_cuinfo(&note, &cuinfo))
        return;
    object->virtual_sm = cuinfo.virtual_sm;
    if (cuinfo.version >= NOTE_CUINFO_VERSION)
        object->toolkit = cuinfo.toolkit;
    else if (find_note(&object->elf, SHF_TKINFO_NOTE, NT_TKINFO, &tool))
        object->toolkit = note_tkinfo_version(&tool);
}

/* Whether warpld cannot link a section of this kind yet. The link refuses the input, because an
 * output without the section would be wrong. */
static bool is_unsupported(const struct elf_section *section)
{
    return section->type == SHT_CUDA_CONSTANT; /* a section of constants without a bank number */
}

static const char *unsupported_section(const struct elf_view *elf)
{
    for (uint32_t i = 1; i < elf->section_count; i++)
        if (is_unsupported(&elf->sections[i]))
            return elf->sections[i].name;
    return NULL;
}

enum { OLDEST_TOOLKIT = 120 };

/* Whether the object's toolkit is too old. As in nvlink 13.0.88, only code for sm_90 and sm_90a can
 * be too old, in both ABI versions (observed with patched objects for 14 targets, and with objects
 * of CUDA 11.8). */
static bool is_too_old(const struct input_object *object)
{
    enum { ONLY_SM = 90 };
    return elf_view_sm(&object->elf) == ONLY_SM && object->toolkit < OLDEST_TOOLKIT;
}

static void report_too_new(link_context *link, const struct input_object *object)
{
    enum { NEWEST = WARPLD_NEWEST_TOOLKIT_VERSION };
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_TOO_NEW, object->name, NULL,
                      object->name, object->toolkit, WARPLD_TOOLKIT_VERSION);
    if (object->toolkit > NEWEST && link_has_mercury(link))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_TOO_NEW_MERCURY, object->name, NULL,
                          NEWEST / 10, NEWEST % 10);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_TOO_NEW_OPTION, object->name, NULL);
}

/* Reports an object of a release that is too new, and returns true. Otherwise, if the object has
 * ABI version 8, raises link->toolkit to the object's release. If warpld does not know this
 * release, it takes the newest release that it knows instead. Unknown releases are allowed only
 * without Mercury code. As far as is known, their native code has the format of 13.0, but their
 * Mercury code differs (see release.h). An object that the optimiser made needs no
 * allow_newer_toolkit, because the user chose the optimiser's release. */
static bool is_too_new(link_context *link, const struct input_object *object)
{
    uint16_t newest = WARPLD_NEWEST_TOOLKIT_VERSION;
    bool is_known = object->toolkit <= newest;
    if (object->toolkit <= WARPLD_TOOLKIT_VERSION)
        return false;
    bool is_allowed = link->options.allow_newer_toolkit || object == link->input->optimised;
    if (!is_allowed || (!is_known && link_has_mercury(link))) {
        report_too_new(link, object);
        return true;
    }
    if (!is_known)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_NEWER, object->name, NULL,
                          object->name, object->toolkit, newest);
    uint16_t followed = is_known ? object->toolkit : newest;
    if (followed > link->toolkit && elf_view_abi(&object->elf) == ABIVERSION_CUDA)
        link->toolkit = followed;
    return false;
}

/* Whether nvlink would regenerate the object's native code from the Mercury view. */
static bool object_needs_translation(const link_context *link, const struct input_object *object)
{
    return !link->target_is_virtual &&
           architecture_translates_code_of(link->target, elf_view_sm(&object->elf));
}

/* Warns about a cubin without Mercury code. The later checks can still refuse this cubin. Images
 * from fat binaries and from PTX are not checked, because they are for the target. */
static void check_views(link_context *link, const struct input_object *object)
{
    if (link_has_mercury(link) && object->unit->kind == UNIT_CUBIN &&
        !elf_view_has_mercury_code(&object->elf))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_WITHOUT_MERCURY, object->name, NULL,
                          link->target->number, object->name);
}

/* From sm_100 on, where nvlink 13.0.88 regenerates code, it refuses all ELF types except ET_REL and
 * ET_WHOLE_PROGRAM. For earlier targets it links all types (tried: types 0 to 5, 0xfe00, 0xff00,
 * 0xff01 and 0xffff, each for sm_90, 100 and 120). */
static bool has_unknown_type(const link_context *link, const struct elf_view *elf)
{
    return link_has_mercury(link) && elf->type != ET_REL && elf->type != ET_WHOLE_PROGRAM;
}

static void report_type(link_context *link, const struct input_object *object)
{
    report_input(link, DIAGNOSTIC_INPUT_FILE_TYPE, object);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_FILE_TYPE_VALUE, object->name, NULL,
                      object->name, (unsigned)object->elf.type);
}

static void report_target(link_context *link, const struct input_object *object)
{
    char target[16];
    link_target_name(link, target);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_ARCHITECTURE, object->name, NULL,
                      object->name, target);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_TARGET, object->name, NULL, object->name,
                      input_target_of_object(link, object), target);
}

static void report_translation(link_context *link, const struct input_object *object)
{
    char target[16];
    link_target_name(link, target);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_TRANSLATED, object->name, NULL,
                      object->name, elf_view_sm(&object->elf), target);
}

/* Whether the object can be linked; reports the first failed check. The checks and their order are
 * nvlink 13.0.88's (found by patching one field of a valid object at a time). */
static bool fits(link_context *link, const struct input_object *object)
{
    check_views(link, object);
    if (!compat_runs_on_target(link, object)) {
        report_target(link, object);
    } else if (has_unknown_type(link, &object->elf)) {
        report_type(link, object);
    } else if (is_too_old(object)) {
        report_input(link, DIAGNOSTIC_INPUT_TOO_OLD, object);
    } else if (is_too_new(link, object)) {
        return false;
    } else if (!whole_programs_accept(link, object)) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_WHOLE_PROGRAM_TOOLKIT, object->name, NULL);
    } else if (!whole_programs_join(link, object)) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_FEATURE_NOT_YET, object->name, NULL,
                          object->name, "or is linked with -ewp objects into a relocatable object");
    } else if (object_needs_translation(link, object)) {
        report_translation(link, object);
    } else if (unsupported_section(&object->elf)) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_FEATURE_NOT_YET, object->name, NULL,
                          object->name, unsupported_section(&object->elf));
    } else {
        return unknown_sections_accept(link, object);
    }
    return false;
}

static void check_address_size(link_context *link, const struct input_object *object)
{
    if (object->file.size &&
        !elf_is_marked_64bit(object->file)) /* released bytes were checked when they were read */
        report_input(link, DIAGNOSTIC_INPUT_64BIT, object);
}

/* Returns the view of an object that was opened before, or NULL. */
static const struct elf_view *known_view(const struct input_object *object)
{
    return object->shared && object->shared->view ? object->shared->view : object->unit->view;
}

void read_versions(struct input_object *object)
{
    if (elf_view_abi(&object->elf) == ABIVERSION_CUDA_12)
        read_header(object);
    else
        read_notes(object);
}

/* Validates an object, reads its header and notes, and checks whether it can be linked. Returns
 * false if it cannot be linked. */
static bool open_device_object(link_context *link, struct input_object *object)
{
    struct damage damage = {.link = link, .object = object, .last_exception = ELF_RULE_NONE};
    const struct elf_view *known = known_view(object);
    if (known)
        object->elf = *known;
    else if (!elf_view_open(&object->elf, object->file, &link->arena, report_damage, &damage))
        return false;
    if (object->elf.type == ET_EXEC) {
        object->unit->is_executable = true;
        if (!link->options.as_nvlink)
            report_input(link, DIAGNOSTIC_INPUT_NOT_RELOCATABLE, object);
        return false;
    }
    check_address_size(link, object);
    if (object->shared && object->shared->view) {
        object->virtual_sm = object->shared->virtual_sm;
        object->toolkit = object->shared->toolkit;
    } else {
        read_versions(object);
    }
    return fits(link, object);
}

static void report_abi(link_context *link, const struct input_object *object)
{
    check_address_size(link, object);
    report_input(link, DIAGNOSTIC_INPUT_ABI, object);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_UNKNOWN_ABI, object->name, NULL,
                      object->name, object->file.data[EI_OSABI], object->file.data[EI_ABIVERSION]);
}

bool open_image(link_context *link, struct input_object *object)
{
    if (known_view(object))
        return open_device_object(link, object);
    switch (elf_identify(object->file)) {
    case ELF_KIND_DEVICE:
        return open_device_object(link, object);
    case ELF_KIND_DEVICE_32:
        report_input(link, DIAGNOSTIC_INPUT_32BIT, object);
        report_input(link, DIAGNOSTIC_INPUT_32BIT_CLASS, object);
        return false;
    case ELF_KIND_DEVICE_ABI:
        report_abi(link, object);
        return false;
    default:
        report_input(link, DIAGNOSTIC_INPUT_NOT_ELF, object);
        return false;
    }
}

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

/* Whether the image has bytes. PTX, which is compiled later, and the object that will be made from
 * LTO-IR do not have bytes yet. */
static bool has_bytes(const struct input_object *image)
{
    return known_view(image) || image->file.size;
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
        if (link->input->images_count > images && has_bytes(link->input->images[images]))
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
        report_input(link, DIAGNOSTIC_INPUT_ABI_NEWER, newer);
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
