/* Opens inputs once for many links; see shared_inputs.h. */
#include "link/input/shared_inputs.h"

#include <string.h>

#include "base/diagnostic.h"
#include "base/name_table.h"
#include "format/container/host_object.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/input/object_versions.h"
#include "link/prepared/prepared_snapshot.h"

/* --------------------------------------------------------------------------------------------- */
/* Images                                                                                        */

static void leave_maker(void *owner)
{
    struct image_maker *maker = owner;
    longjmp(maker->exhausted, 1);
}

void image_maker_init(struct image_maker *maker)
{
    pthread_mutex_init(&maker->mutex, NULL);
    arena_init(&maker->arena, leave_maker, maker);
}

void image_maker_destroy(struct image_maker *maker)
{
    arena_destroy(&maker->arena);
    fatbin_unpacker_destroy(&maker->unpacker);
    pthread_mutex_destroy(&maker->mutex);
}

/* A placeholder for an image that each link must open itself, because the image cannot be unpacked
 * or because memory ran out. */
static const struct shared_image UNAVAILABLE;

static bool unpack_shared(struct arena *arena, struct fatbin_unpacker *unpacker,
                          const struct fatbin_entry *entry, struct bytes *bytes)
{
    *bytes = entry->payload;
    if (entry->flags & FATBIN_UNKNOWN)
        return false;
    if (!fatbin_entry_is_packed(entry))
        return true;
    if (!fatbin_unpacked_size_is_plausible(entry))
        return false;
    uint8_t *data = ARENA_ARRAY(arena, uint8_t, entry->unpacked_size);
    *bytes = (struct bytes){data, entry->unpacked_size};
    return fatbin_unpack(unpacker, entry, data);
}

static void open_view(struct arena *arena, struct shared_image *image)
{
    struct input_object object = {.file = image->bytes};
    const struct elf_view *view = open_cubin(image->bytes, arena);
    if (!view)
        return;
    object.elf = *view;
    object_versions_read(&object);
    image->view = view;
    image->virtual_sm = object.virtual_sm;
    image->toolkit = object.toolkit;
}

const struct shared_image *make_image(struct arena *arena, struct fatbin_unpacker *unpacker,
                                      const struct input_unit *unit,
                                      const struct fatbin_entry *entry)
{
    struct shared_image *image = ARENA_NEW(arena, struct shared_image);
    if (!entry)
        image->bytes = unit->contents;
    else if (!unpack_shared(arena, unpacker, entry, &image->bytes))
        return NULL;
    open_view(arena, image);
    return image;
}

/* Makes an image. Returns &UNAVAILABLE if this fails. The maker's mutex must be locked. */
static const struct shared_image *try_to_make(struct image_maker *maker,
                                              const struct input_unit *unit,
                                              const struct fatbin_entry *entry)
{
    const struct shared_image *image =
        setjmp(maker->exhausted) ? NULL : make_image(&maker->arena, &maker->unpacker, unit, entry);
    return image ? image : &UNAVAILABLE;
}

static const struct shared_image *make_once(struct shared_unit *unit, uint32_t index,
                                            const struct fatbin_entry *entry)
{
    struct image_maker *maker = &unit->makers[index % IMAGE_MAKERS];
    pthread_mutex_lock(&maker->mutex);
    const struct shared_image *image =
        atomic_load_explicit(&unit->images[index], memory_order_relaxed);
    if (!image) {
        image = try_to_make(maker, &unit->unit, entry);
        atomic_store_explicit(&unit->images[index], image, memory_order_release);
    }
    pthread_mutex_unlock(&maker->mutex);
    return image;
}

const struct shared_image *shared_image_of(const struct input_unit *unit, uint32_t index,
                                           const struct fatbin_entry *entry)
{
    struct shared_unit *shared = unit->shared;
    if (!shared)
        return NULL;
    const struct shared_image *image =
        atomic_load_explicit(&shared->images[index], memory_order_acquire);
    if (!image)
        image = make_once(shared, index, entry);
    return image == &UNAVAILABLE ? NULL : image;
}

/* --------------------------------------------------------------------------------------------- */
/* Units                                                                                         */

static uint32_t count_images(const struct input_unit *unit)
{
    uint32_t count = 0;
    struct fatbin fatbin;
    struct fatbin_entry entry;
    if (unit->kind != UNIT_FATBIN)
        return 1;
    for (fatbin_open(&fatbin, unit->contents); fatbin_next_entry(&fatbin, &entry);)
        count++;
    return count;
}

static void share_unit(struct arena *arena, struct shared_unit *shared,
                       const struct input_unit *unit, uint32_t hosts_before)
{
    shared->unit = *unit;
    shared->unit.hosts_before -= hosts_before;
    shared->unit.shared = shared;
    shared->images_count = count_images(unit);
    shared->images = arena_alloc_array(arena, shared->images_count, sizeof *shared->images);
}

/* The state of the reader before it opens an input. */
struct before {
    size_t units_count;
    size_t opened_count;
    uint32_t host_object_count;
    uint32_t linked_before_count;
};

static struct before before_opening(link_context *reader)
{
    struct input_state *input = reader->input;
    input->has_silent_host_object = false;
    input->has_broken_input = false;
    input->has_unusable_code = false;
    memset(reader->diagnostics.text_size, 0, sizeof reader->diagnostics.text_size);
    return (struct before){.units_count = reader->units_count,
                           .opened_count = input->opened_count,
                           .host_object_count = input->host_object_count,
                           .linked_before_count = input->linked_before.count};
}

static bool was_silent(const link_context *reader, const struct before *before)
{
    const struct input_state *input = reader->input;
    uint64_t text = 0;
    for (int severity = 0; severity < SEVERITY_COUNT; severity++)
        text += reader->diagnostics.text_size[severity];
    return !text && !input->has_broken_input && !input->has_unusable_code &&
           input->opened_count == before->opened_count;
}

static void share_units(link_context *reader, struct shared_input *shared,
                        const struct before *before, struct image_maker *makers)
{
    shared->units_count = (uint32_t)(reader->units_count - before->units_count);
    shared->units = ARENA_ARRAY(&reader->arena, struct shared_unit, shared->units_count);
    for (uint32_t i = 0; i < shared->units_count; i++) {
        shared->units[i].makers = makers;
        share_unit(&reader->arena, &shared->units[i], reader->units[before->units_count + i],
                   before->host_object_count);
    }
}

static void share_linked_before(link_context *reader, struct shared_input *shared, uint32_t before)
{
    const struct name_table *table = &reader->input->linked_before;
    shared->linked_before_count = table->count - before;
    shared->linked_before = ARENA_ARRAY(&reader->arena, const char *, shared->linked_before_count);
    for (uint32_t i = 0; i < shared->linked_before_count; i++) {
        const struct name *name = name_table_entry(table, before + i + 1);
        shared->linked_before[i] = name->text;
    }
}

/* Returns a copy of the file's description for one link. The library owns the mapping, the link
 * does not. */
static struct input_file file_in_link(const struct input_file *file, struct shared_input *shared)
{
    return (struct input_file){
        .name = file->name,
        .bytes = file->bytes,
        .mapping = {.bytes = file->bytes,
                    .identity = file->mapping.identity,
                    .modified = file->mapping.modified},
        .size = file->size,
        .is_loaded = true,
        .is_in_memory = file->is_in_memory,
        .missing = file->missing,
        .shared = shared,
    };
}

struct shared_input *share_input(link_context *reader, struct input_file *file,
                                 struct image_maker *makers)
{
    struct shared_input *shared = ARENA_NEW(&reader->arena, struct shared_input);
    struct before before = before_opening(reader);
    shared->file = file_in_link(file, shared);
    open_file(reader, file);
    shared->is_silent = was_silent(reader, &before);
    if (!shared->is_silent)
        return shared;
    share_units(reader, shared, &before, makers);
    share_linked_before(reader, shared, before.linked_before_count);
    shared->host_object_count = reader->input->host_object_count - before.host_object_count;
    shared->has_silent_host_object = reader->input->has_silent_host_object;
    return shared;
}

/* Returns a copy of a unit's host object for this link. Adjacent units of one host object have the
 * same copy, because passes compare the addresses of host objects to recognise such units. A copy
 * is needed because a link can have the same library twice, and units of different inputs must not
 * seem to be of one object. */
static const struct host_object *own_host(link_context *link, const struct shared_unit *units,
                                          uint32_t index, const struct host_object *last)
{
    const struct host_object *host = units[index].unit.host;
    if (!host || (index && host == units[index - 1].unit.host))
        return host ? last : NULL;
    struct host_object *own = ARENA_NEW(&link->arena, struct host_object);
    *own = *host;
    return own;
}

bool take_shared_units(link_context *link, struct input_file *file)
{
    const struct shared_input *shared = file->shared;
    struct input_state *input = link->input;
    if (!shared->is_silent)
        return false;
    const struct host_object *host = NULL;
    struct input_unit *units = ARENA_ARRAY(&link->arena, struct input_unit, shared->units_count);
    for (uint32_t i = 0; i < shared->units_count; i++) {
        units[i] = shared->units[i].unit;
        units[i].host = host = own_host(link, shared->units, i, host);
        units[i].hosts_before += input->host_object_count;
        *ARENA_APPEND(&link->arena, link, units) = &units[i];
    }
    for (uint32_t i = 0; i < shared->linked_before_count; i++)
        name_table_intern(&input->linked_before, shared->linked_before[i]);
    file->opened = (struct opened_file){
        .is_silent = !shared->linked_before_count,
        .has_silent_host_object = shared->has_silent_host_object,
        .host_object_count = shared->host_object_count,
        .hosts_before = input->host_object_count,
    };
    input->host_object_count += shared->host_object_count;
    input->has_silent_host_object |= shared->has_silent_host_object;
    file->is_without_code = !shared->units_count;
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* Snapshots */

static struct input_unit snapshot_unit(link_context *link, const struct input_file *file,
                                       const struct host_object *hosts,
                                       const struct prepared_unit *known)
{
    size_t path = strlen(file->name), rest = (size_t)known->name.size;
    char *name = arena_alloc(&link->arena, path + rest + 1);
    memcpy(name, file->name, path);
    memcpy(name + path, known->name.data, rest);
    return (struct input_unit){
        .name = name,
        .contents = known->contents,
        .kind = known->kind,
        .host = known->host ? &hosts[known->host - 1] : NULL,
        .hosts_before = known->hosts_before + link->input->host_object_count,
        .is_member = known->is_member,
        .is_of_library = link->input->opens_libraries,
        .is_runtime = strstr(name, "libcudadevrt") != NULL,
    };
}

/* Reads all units and host objects of the snapshot. Returns false if one of them lies outside the
 * input or the snapshot. */
static bool read_snapshot_units(link_context *link, const struct input_file *file,
                                const struct prepared_input *input, struct input_unit *units)
{
    struct prepared_unit known;
    struct host_object *hosts = ARENA_ARRAY(&link->arena, struct host_object, input->hosts_count);
    for (uint32_t i = 0; i < input->hosts_count; i++)
        if (!prepared_snapshot_host(file->snapshot, input, i, &hosts[i]))
            return false;
    for (uint32_t i = 0; i < input->units_count; i++) {
        if (!prepared_snapshot_unit(file->snapshot, input, i, &known))
            return false;
        units[i] = snapshot_unit(link, file, hosts, &known);
    }
    return true;
}

bool take_snapshot_units(link_context *link, struct input_file *file)
{
    struct prepared_input input = {.bytes = file->bytes};
    if (!prepared_snapshot_open(file->snapshot, &input) || !input.opened.is_silent)
        return false;
    struct input_unit *units = ARENA_ARRAY(&link->arena, struct input_unit, input.units_count);
    if (!read_snapshot_units(link, file, &input, units))
        return false;
    for (uint32_t i = 0; i < input.units_count; i++)
        *ARENA_APPEND(&link->arena, link, units) = &units[i];
    link->input->host_object_count += input.opened.host_object_count;
    link->input->has_silent_host_object |= input.opened.has_silent_host_object;
    file->is_without_code = !input.units_count;
    return true;
}
