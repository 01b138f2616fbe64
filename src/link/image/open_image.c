/* Opens the image of a unit: validates it, and checks whether it can be linked; see open_image.h.
 * Part of pass_load. */
#include "link/image/open_image.h"

#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/image/unknown_sections.h"
#include "link/input/input_state.h"
#include "link/input/input_targets.h"
#include "link/input/object_versions.h"
#include "link/model/compat.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/whole_programs.h"
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
        object_versions_read(object);
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

bool image_has_bytes(const struct input_object *image)
{
    return known_view(image) || image->file.size;
}
