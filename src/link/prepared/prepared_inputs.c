/* Uses the snapshots that earlier links made of large inputs, and makes new ones; see
 * prepared_inputs.h.
 *
 * A link with a snapshot of an input does not choose, unpack and check the images of this input. If
 * nothing was reported when an earlier link opened the input for the snapshot, the link does not
 * even open the input. All other checks are made as usual. The code in the snapshot is checked for
 * damage later, and only for objects with functions that are kept
 * (link/resolve/check_prepared.c). */
#include "link/prepared/prepared_inputs.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/scale.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/elf_snapshot.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/prepared/prepared_snapshot.h"
#include "warpld.h"

/* Whether the input can contain images that must be unpacked. Cubins and texts cannot. */
static bool is_container(struct bytes bytes)
{
    return archive_recognise(bytes) || fatbin_recognise(bytes) ||
           elf_identify(bytes) == ELF_KIND_FOREIGN;
}

/* Whether a snapshot of the file can save time. It cannot if the file is small, because unpacking
 * its images is as fast as finding the snapshot. It cannot if the target is virtual either, because
 * then no image is opened. */
static bool is_worth_keeping(const link_context *link, const struct input_file *file)
{
    enum { SMALL = LARGE_FROM(FILE_SMALL, 1) };
    const struct warpld_options *options = &link->options;
    return options->find_prepared && options->keep_prepared && file->size > SMALL &&
           file->bytes.data && !link->target_is_virtual && is_container(file->bytes);
}

/* Describes an input for the caller's callbacks. `form` is a text with everything that a snapshot
 * depends on, except the contents of the input. The text records whether there is an optimiser,
 * because with an optimiser the link chooses LTO-IR in cases in which it would otherwise choose
 * machine code. */
static struct warpld_prepared_input describe_for_caller(link_context *link,
                                                        const struct input_file *file)
{
    char target[16];
    link_target_name(link, target);
    return (struct warpld_prepared_input){
        .size = sizeof(struct warpld_prepared_input),
        .path = file->name,
        .data = file->bytes.data,
        .data_size = (size_t)file->bytes.size,
        .device = file->mapping.identity.device,
        .inode = file->mapping.identity.inode,
        .modified = file->mapping.modified,
        .changed = file->mapping.changed,
        .form =
            arena_format(&link->arena, "%s %d %d %s %d %d %d", WARPLD_VERSION, ELF_SNAPSHOT_FORM,
                         PREPARED_SNAPSHOT_FORM, target, link_writes_abi_12(link),
                         link->options.as_nvlink, link->options.optimise != NULL),
    };
}

/* --------------------------------------------------------------------------------------------- */
/* Taking                                                                                        */

bool prepared_is_unchanged(const link_context *link, struct bytes part)
{
    const struct warpld_options *options = &link->options;
    return !options->check_prepared ||
           options->check_prepared(options->prepared_context, part.data, (size_t)part.size);
}

/* Whether the part of the snapshot before the code is undamaged. The head is checked first, because
 * it contains the offset of the code, where this part ends. */
static bool has_unchanged_facts(const link_context *link, struct bytes snapshot)
{
    struct bytes head = prepared_snapshot_head(snapshot);
    if (!head.size || !prepared_is_unchanged(link, head))
        return false;
    struct bytes facts = prepared_snapshot_facts(snapshot);
    return facts.size && prepared_is_unchanged(link, facts);
}

void prepared_input_find(link_context *link, struct input_file *file)
{
    const struct warpld_options *options = &link->options;
    const void *data;
    size_t size;
    if (!is_worth_keeping(link, file))
        return;
    file->is_looked_for = true;
    const struct warpld_prepared_input input = describe_for_caller(link, file);
    if (!options->find_prepared(options->prepared_context, &input, &data, &size))
        return;
    struct bytes snapshot = {data, size};
    if (has_unchanged_facts(link, snapshot))
        file->snapshot = snapshot;
}

/* Returns the image of a unit, or NULL if the snapshot does not have it. */
static const struct shared_image *image_of(link_context *link, const struct input_unit *unit,
                                           const struct prepared_unit *known)
{
    bool is_same = known->contents.data == unit->contents.data &&
                   known->contents.size == unit->contents.size && known->kind == unit->kind;
    if (!is_same || !known->facts.size)
        return NULL;
    struct elf_view *view = ARENA_NEW(&link->arena, struct elf_view);
    struct shared_image *image = ARENA_NEW(&link->arena, struct shared_image);
    if (!elf_snapshot_open(view, known->facts, known->code, &link->arena))
        return NULL;
    *image = (struct shared_image){
        .view = view,
        .virtual_sm = known->virtual_sm,
        .toolkit = known->toolkit,
        .is_from_snapshot = true,
        .unchecked = known->code,
    };
    return image;
}

void prepared_input_take(link_context *link, const struct input_file *file)
{
    struct prepared_input input = {.bytes = file->bytes};
    struct prepared_unit known;
    if (!prepared_snapshot_open(file->snapshot, &input) || input.units_count != file->units_count)
        return;
    for (uint32_t i = 0; i < file->units_count; i++) {
        struct input_unit *unit = link->units[file->first_unit + i];
        if (!prepared_snapshot_unit(file->snapshot, &input, i, &known))
            return;
        unit->prepared = image_of(link, unit, &known);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Keeping                                                                                       */

/* Whether a snapshot can contain the object's image. The image must be one that a fat binary in the
 * input contains, not one that a compiler has made from PTX. Its view must not have released the
 * bytes of the file (elf_view_settle). A later link cannot warn about an image from a snapshot,
 * because the snapshot has no ELF header, and the link does not apply the rules to the image.
 * Therefore the image must have a header that is marked as 64-bit, and must break no rule, so that
 * there is no reason for a warning. */
static bool is_storable(const struct input_object *object)
{
    return object->unit->is_chosen && object->file.size && elf_is_marked_64bit(object->file) &&
           !object->has_exceptions && object->elf.file.size;
}

static bool is_inside(struct bytes file, struct bytes part)
{
    return !part.size || (part.data >= file.data && part.data <= file.data + file.size);
}

static bool has_part(const struct input_file *file, const struct input_unit *unit)
{
    const struct host_object *host = unit->host;
    return unit->kind != UNIT_BROKEN && is_inside(file->bytes, unit->contents) &&
           !strncmp(unit->name, file->name, strlen(file->name)) &&
           (!host || (is_inside(file->bytes, host->relocatable_code) &&
                      is_inside(file->bytes, host->linked_code)));
}

/* Whether a snapshot can contain the units of the file. All of them, with their host objects, must
 * be in the file itself, and not in another file that is a member of a thin archive. */
static bool are_inside(const link_context *link, const struct input_file *file)
{
    for (uint32_t i = 0; i < file->units_count; i++)
        if (!has_part(file, link->units[file->first_unit + i]))
            return false;
    return true;
}

static struct prepared_unit describe_unit(const struct input_unit *unit,
                                          const struct input_object *object)
{
    const char *rest = unit->name + strlen(unit->file->name);
    struct prepared_unit known = {
        .contents = unit->contents,
        .name = {(const uint8_t *)rest, strlen(rest)},
        .kind = unit->kind,
        .is_member = unit->is_member,
        .hosts_before = unit->hosts_before - unit->file->opened.hosts_before,
    };
    if (!object || !is_storable(object))
        return known;
    known.view = &object->elf;
    known.virtual_sm = object->virtual_sm;
    known.toolkit = object->toolkit;
    return known;
}

/* Adds the host object of a unit, unless it is the one that was added last. Returns the index of
 * the host object + 1; 0 if the unit has none. */
static uint32_t add_host(struct prepared_input *input, const struct host_object *host)
{
    if (!host)
        return 0;
    if (!input->hosts_count || input->hosts[input->hosts_count - 1] != host)
        input->hosts[input->hosts_count++] = host;
    return input->hosts_count;
}

/* Describes the units of a file in `input`. `objects` are the objects of the file, in the order of
 * its units. Returns false if the snapshot would contain no image. */
static bool describe_units(link_context *link, const struct input_file *file,
                           struct input_object *const *objects, size_t objects_count,
                           struct prepared_input *input)
{
    bool any = false;
    input->units = ARENA_ARRAY(&link->arena, struct prepared_unit, file->units_count);
    input->hosts = ARENA_ARRAY(&link->arena, const struct host_object *, file->units_count);
    input->units_count = file->units_count;
    for (uint32_t i = 0, next = 0; i < file->units_count; i++) {
        const struct input_unit *unit = link->units[file->first_unit + i];
        bool has_object = objects && next < objects_count && objects[next]->unit == unit;
        input->units[i] = describe_unit(unit, has_object ? objects[next++] : NULL);
        input->units[i].host = add_host(input, unit->host);
        any |= input->units[i].view != NULL;
    }
    return any;
}

static void keep_snapshot(link_context *link, const struct input_file *file,
                          const struct prepared_input *input)
{
    const struct warpld_options *options = &link->options;
    const struct warpld_prepared_input described = describe_for_caller(link, file);
    struct bytes snapshot = prepared_snapshot_make(input);
    if (snapshot.data)
        options->keep_prepared(options->prepared_context, &described, snapshot.data,
                               (size_t)snapshot.size);
    free((void *)snapshot.data);
}

/* If the file has no images, a snapshot is made only if it is an archive. The snapshot then saves a
 * later link from opening all members. This is worthwhile because most archives of a program
 * contain no device code. */
void prepared_input_keep(link_context *link, const struct input_file *file, size_t *object)
{
    struct prepared_input input = {.bytes = file->bytes, .opened = file->opened};
    size_t first = *object;
    while (*object < link->objects_count && link->objects[*object]->unit->file == file)
        ++*object;
    if (!file->is_looked_for || file->snapshot.data || !are_inside(link, file))
        return;
    struct input_object *const *objects = first < *object ? &link->objects[first] : NULL;
    bool has_images = describe_units(link, file, objects, *object - first, &input);
    if (has_images || (file->opened.is_silent && archive_recognise(file->bytes)))
        keep_snapshot(link, file, &input);
}
