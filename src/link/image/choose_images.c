/* Chooses the image for the target from each unit; see choose_images.h. */
#include "link/image/choose_images.h"

#include <string.h>

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/architecture.h"
#include "format/container/fatbin.h"
#include "link/input/held_messages.h"
#include "link/input/input_state.h"
#include "link/input/shared_inputs.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* --------------------------------------------------------------------------------------------- */
/* Choosing an entry of a fat binary */

static enum architecture_suffix suffix_of(const struct fatbin_entry *entry)
{
    if (entry->flags & FATBIN_ACCELERATED)
        return SUFFIX_ACCELERATED;
    return entry->flags & FATBIN_FAMILY ? SUFFIX_FAMILY : SUFFIX_PLAIN;
}

/* Code for an "a" target runs only on the SM of that number. architecture_runs.def lists the
 * targets on which other code runs. For a virtual target only PTX fits (observed). */
static bool code_fits(const link_context *link, const struct fatbin_entry *entry)
{
    if (link->target_is_virtual)
        return false;
    return link->target->number == entry->sm ||
           (suffix_of(entry) != SUFFIX_ACCELERATED && link_takes_code_of(link, entry->sm));
}

/* PTX for a target without suffix can be compiled for that target and all later ones. PTX for an
 * "f" target can be compiled for that target and later members of its family. PTX for an "a" target
 * can be compiled for that target only. */
static bool ptx_fits(const struct architecture *target, const struct fatbin_entry *entry)
{
    if (entry->sm > target->number)
        return false;
    switch (suffix_of(entry)) {
    case SUFFIX_ACCELERATED:
        return entry->sm == target->number && target->suffix == SUFFIX_ACCELERATED;
    case SUFFIX_FAMILY:
        return target->family && architecture_family(entry->sm) == target->family;
    default:
        return true;
    }
}

static bool entry_fits(const link_context *link, const struct fatbin_entry *entry)
{
    if (!(entry->flags & FATBIN_64BIT))
        return false;
    if (entry->kind == FATBIN_ELF)
        return code_fits(link, entry);
    return entry->kind == FATBIN_PTX && ptx_fits(link->target, entry);
}

static bool entry_needs_translation(const link_context *link, const struct fatbin_entry *entry)
{
    return entry->kind == FATBIN_ELF && architecture_translates_code_of(link->target, entry->sm);
}

/* Whether an entry is better than the best entry so far. nvlink 13.0.88 applies these rules in
 * order, until one of them decides between the two entries (observed with all pairs of entries):
 *
 *   1. the highest SM number
 *   2. machine code before PTX
 *   3. suffix "a" before "f", and "f" before no suffix, whatever the suffix of the target
 *   4. the first entry in the file
 *
 * Before rule 1, warpld prefers entries that need no translation, because it refuses code that
 * nvlink would translate. */
static bool is_better(const link_context *link, const struct fatbin_entry *entry,
                      const struct fatbin_entry *best)
{
    bool translated = entry_needs_translation(link, entry);
    if (translated != entry_needs_translation(link, best))
        return !translated;
    static const uint8_t ORDER[] = {
        [SUFFIX_PLAIN] = 0, [SUFFIX_FAMILY] = 1, [SUFFIX_ACCELERATED] = 2};
    if (entry->sm != best->sm)
        return entry->sm > best->sm;
    if (entry->kind != best->kind)
        return entry->kind == FATBIN_ELF;
    return ORDER[suffix_of(entry)] > ORDER[suffix_of(best)];
}

/* Whether rules 1 to 3 of is_better do not decide between the two entries, and the contents of the
 * entries differ. */
static bool is_as_good(const struct fatbin_entry *entry, const struct fatbin_entry *best)
{
    return entry->sm == best->sm && entry->kind == best->kind &&
           suffix_of(entry) == suffix_of(best) &&
           (entry->payload.size != best->payload.size ||
            memcmp(entry->payload.data, best->payload.data, (size_t)entry->payload.size) != 0);
}

/* LTO-IR fits the same link targets as PTX of the same architecture, except virtual targets
 * (observed with nvlink 13.0.88: 11 objects with LTO-IR, some also with code or PTX, linked for
 * eight targets). */
static bool is_fitting_intermediate(const link_context *link, const struct fatbin_entry *entry)
{
    return entry->kind == FATBIN_LTO_IR && entry->flags & FATBIN_64BIT &&
           !link->target_is_virtual && ptx_fits(link->target, entry);
}

struct fatbin_search {
    struct fatbin_entry best;
    uint32_t best_index; /* index of `best` among the entries */
    bool found;
    bool has_second;       /* is_as_good is true for another entry */
    bool has_intermediate; /* an entry is LTO-IR for the target */
    /* The entry with LTO-IR of the highest SM number; the first such entry if there are several. */
    struct fatbin_entry intermediate;
};

static void note_intermediate(struct fatbin_search *search, const struct fatbin_entry *entry)
{
    if (!search->has_intermediate || entry->sm > search->intermediate.sm)
        search->intermediate = *entry;
    search->has_intermediate = true;
}

/* Returns a text that says what is wrong with the container, or NULL. */
static const char *search_entries(const link_context *link, struct bytes container,
                                  struct fatbin_search *search)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    fatbin_open(&fatbin, container);
    for (uint32_t index = 0; fatbin_next_entry(&fatbin, &entry); index++) {
        if (is_fitting_intermediate(link, &entry))
            note_intermediate(search, &entry);
        if (!entry_fits(link, &entry))
            continue;
        if (search->found && !is_better(link, &entry, &search->best)) {
            search->has_second |= is_as_good(&entry, &search->best);
            continue;
        }
        search->best = entry;
        search->best_index = index;
        search->found = true;
        search->has_second = false;
    }
    return fatbin.problem;
}

static bool search_fatbin(link_context *link, struct input_unit *unit, struct fatbin_search *search)
{
    const char *problem = search_entries(link, unit->contents, search);
    if (problem)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_CONTAINER_DAMAGED, unit->name, NULL,
                          unit->name, problem);
    return !problem;
}

bool find_code(const link_context *link, struct bytes container, struct fatbin_entry *entry)
{
    struct fatbin_search search = {.found = false};
    if (search_entries(link, container, &search) || !search.found || search.best.kind != FATBIN_ELF)
        return false;
    *entry = search.best;
    return true;
}

const char *preview_choice(const link_context *link, struct bytes container,
                           struct previewed_choice *choice)
{
    struct fatbin_search search = {.found = false};
    const char *problem = search_entries(link, container, &search);
    *choice = (struct previewed_choice){
        .has_code = search.found && search.best.kind == FATBIN_ELF,
        .has_ptx = search.found && search.best.kind == FATBIN_PTX,
        .has_lto_ir = search.has_intermediate,
    };
    return problem;
}

/* --------------------------------------------------------------------------------------------- */
/* The bytes of an entry */

static bool entry_bytes(link_context *link, const struct fatbin_entry *entry,
                        const struct shared_image *shared, struct bytes *bytes)
{
    *bytes = shared ? shared->bytes : entry->payload;
    if (shared)
        return true;
    bool is_unknown = entry->flags & FATBIN_UNKNOWN;
    if (!fatbin_entry_is_packed(entry) && !is_unknown)
        return true;
    if (is_unknown || !fatbin_unpacked_size_is_plausible(entry))
        return false;
    uint8_t *data = ARENA_ARRAY(&link->arena, uint8_t, entry->unpacked_size);
    *bytes = (struct bytes){data, entry->unpacked_size};
    return fatbin_unpack(&link->input->unpacker, entry, data);
}

struct bytes object_image(link_context *link, const struct input_object *object)
{
    struct fatbin_entry entry;
    struct bytes bytes = object->file;
    bool is_from_snapshot = object->shared && object->shared->is_from_snapshot;
    if (is_from_snapshot && find_code(link, object->unit->contents, &entry) &&
        !entry_bytes(link, &entry, NULL, &bytes))
        return (struct bytes){NULL, 0};
    return bytes;
}

static struct input_object *add_image(link_context *link, struct input_unit *unit,
                                      struct bytes bytes, const struct shared_image *shared)
{
    struct input_object *object = ARENA_NEW(&link->arena, struct input_object);
    object->name = unit->name;
    object->file = bytes;
    object->unit = unit;
    object->shared = shared;
    *ARENA_APPEND(&link->arena, link->input, images) = object;
    return object;
}

/* In a fat binary NUL bytes may follow the text. */
static struct bytes without_nul(struct bytes text)
{
    while (text.size && !text.data[text.size - 1])
        text.size--;
    return text;
}

static void request_compilation(struct image_choice *choice, struct input_unit *unit,
                                struct bytes text, const char *compiler_options)
{
    link_context *link = choice->link;
    text = without_nul(text);
    *ARENA_APPEND(&link->arena, choice, requests) = (struct warpld_compile_request){
        .size = sizeof(struct warpld_compile_request),
        .name = unit->name,
        .ptx = (const char *)text.data,
        .ptx_size = (size_t)text.size,
        .architecture = choice->target,
        .debug = link_is_for_debugger(link),
        .options = compiler_options,
        .is_input = unit->kind == UNIT_PTX,
    };
    *ARENA_APPEND(&link->arena, choice, compiled) =
        add_image(link, unit, (struct bytes){NULL, 0}, NULL);
    link->input->held.texts_before = choice->requests_count;
}

/* Whether the link warns that a unit has no image for the target. nvlink does not warn about
 * members of archives, because libraries contain code only for the targets that their vendor chose.
 * warpld warns only about the first such member in archives that are added by path, not by -l.
 * Notes after undefined symbols name the other members. */
static bool is_worth_a_warning(link_context *link, const struct input_unit *unit)
{
    if (!unit->is_member)
        return true;
    if (link->options.as_nvlink || unit->is_of_library || unit->is_runtime)
        return false;
    bool is_first = !link->input->has_member_for_others;
    link->input->has_member_for_others = true;
    return is_first;
}

static void report_no_image(link_context *link, struct input_unit *unit,
                            const struct fatbin_search *search)
{
    char target[16];
    link_target_name(link, target);
    unit->lacks_target = true;
    if (search->has_intermediate) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_OBJECTS, unit->name, NULL);
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_ONLY, unit->name, NULL, unit->name,
                          target);
    } else if (is_worth_a_warning(link, unit) && !link->options.suppress_arch_warning)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_IMAGE, unit->name, NULL, target,
                          unit->name);
}

static void report_second(link_context *link, const struct input_unit *unit)
{
    char target[16];
    link_target_name(link, target);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_IMAGE_REPEATED, unit->name, NULL, unit->name,
                      target);
}

static const char *option_text(link_context *link, const struct fatbin_entry *entry)
{
    struct bytes text = entry->option_text;
    return text.size ? arena_copy_string(&link->arena, (const char *)text.data, (size_t)text.size)
                     : NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* LTO-IR                                                                                        */

/* Adds LTO-IR. The first call also adds the image that will be made from all LTO-IR. In messages
 * this image is called lto.cubin, as in nvlink 13.0.88. */
static void add_intermediate(link_context *link, const struct intermediate *intermediate)
{
    struct input_state *input = link->input;
    *ARENA_APPEND(&link->arena, input, intermediates) = *intermediate;
    if (input->optimised)
        return;
    input->optimised = add_image(link, intermediate->unit, (struct bytes){NULL, 0}, NULL);
    input->optimised->name = "lto.cubin";
}

/* Adds a unit that is an LTO-IR container. The version of the LTO-IR follows the magic number. */
static void add_lto_ir(link_context *link, struct input_unit *unit)
{
    enum { MAJOR = 4, MINOR = 5 };
    const uint8_t *data = unit->contents.data;
    bool has_version = unit->contents.size > MINOR;
    add_intermediate(link, &(struct intermediate){
                               .unit = unit,
                               .version = has_version ? data[MAJOR] : 0,
                               .minor = has_version ? data[MINOR] : 0,
                           });
}

/* Reports a unit without LTO-IR. With -lto, nvlink 13.0.88 reports each such input, except the
 * device runtime. */
static void note_plain(link_context *link, const struct input_unit *unit)
{
    if (!link->options.optimise || unit->is_runtime || unit->skipped)
        return;
    if (!link->input->first_plain)
        link->input->first_plain = unit;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_PARTIAL, unit->name, NULL, unit->name);
}

static bool choose_intermediate(link_context *link, struct input_unit *unit,
                                const struct fatbin_search *search)
{
    const struct fatbin_entry *entry = &search->intermediate;
    if (!link->options.optimise || !search->has_intermediate)
        return false;
    if (!unit->skipped)
        add_intermediate(link, &(struct intermediate){
                                   .unit = unit,
                                   .version = entry->major,
                                   .minor = entry->minor,
                                   .options = option_text(link, entry),
                               });
    return true;
}

/* Takes the image that the snapshot of the input has for this unit. The unit's other images do not
 * matter: if the link could use LTO-IR of the unit, the snapshot would have no image for it. */
static void take_chosen(link_context *link, struct input_unit *unit)
{
    note_plain(link, unit);
    if (!unit->skipped)
        add_image(link, unit, unit->prepared->bytes, unit->prepared);
}

/* Chooses the image of a fat binary. A unit can be skipped because a host object among the inputs
 * already contains it in linked form. Such a unit is searched anyway, because nvlink reports a unit
 * without an image for the target (observed). */
static void choose_from_fatbin(struct image_choice *choice, struct input_unit *unit)
{
    link_context *link = choice->link;
    struct fatbin_search search = {.found = false};
    struct bytes bytes;
    if (unit->prepared && unit->prepared->is_from_snapshot) {
        take_chosen(link, unit);
        return;
    }
    if (!search_fatbin(link, unit, &search))
        return;
    if (choose_intermediate(link, unit, &search))
        return;
    if (!search.found)
        report_no_image(link, unit, &search);
    if (!search.found || unit->skipped)
        return;
    note_plain(link, unit);
    if (search.has_second && !link->options.as_nvlink)
        report_second(link, unit);
    const struct shared_image *shared =
        unit->prepared ? unit->prepared : shared_image_of(unit, search.best_index, &search.best);
    if (!entry_bytes(link, &search.best, shared, &bytes)) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNPACK_FAILED, unit->name, NULL);
        return;
    }
    unit->is_chosen = search.best.kind == FATBIN_ELF && !search.has_second;
    if (search.best.kind == FATBIN_PTX)
        request_compilation(choice, unit, bytes, option_text(link, &search.best));
    else
        add_image(link, unit, bytes, shared);
}

static void report_broken(link_context *link, const struct input_unit *unit)
{
    diagnostic_report(&link->diagnostics, unit->problem, unit->name, NULL, unit->name,
                      unit->reason);
    if (unit->reason && unit->problem != DIAGNOSTIC_CONTAINER_DAMAGED)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_FILE_REASON, unit->name, NULL, unit->name,
                          unit->reason);
    if (unit->problem == DIAGNOSTIC_NO_FATBIN)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_FAILED, unit->name, NULL);
    if (unit->problem == DIAGNOSTIC_INPUT_NOT_PTX)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMPILE_FAILED, unit->name, NULL);
}

void choose_image(struct image_choice *choice, struct input_unit *unit)
{
    switch (unit->kind) {
    case UNIT_CUBIN:
        note_plain(choice->link, unit);
        add_image(choice->link, unit, unit->contents, shared_image_of(unit, 0, NULL));
        break;
    case UNIT_PTX:
        note_plain(choice->link, unit);
        request_compilation(choice, unit, unit->contents, NULL);
        break;
    case UNIT_LTO_IR:
        add_lto_ir(choice->link, unit);
        break;
    case UNIT_FATBIN:
        choose_from_fatbin(choice, unit);
        break;
    case UNIT_BROKEN:
        report_broken(choice->link, unit);
        break;
    }
}
