/* Checks the code of prepared inputs for damage before any pass reads it.
 *
 * Requires: COLLECTED (the functions that are kept).
 * Makes: CODE_CHECKED, the native code of kept functions is as it was stored.
 * Frozen after: nothing more.
 *
 * Most of a snapshot is code, and a link with a large archive may keep little of it. So the code of
 * a removed function is neither read nor checked. Damaged code is replaced: the image is unpacked
 * from the input again. All other parts of the snapshot were checked when it was found. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "format/elf_snapshot.h"
#include "format/elf_view.h"
#include "link/image/choose_images.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/prepared/prepared_inputs.h"
#include "link/resolve/resolve_passes.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* Finding damage                                                                                */

/* Whether the section is code that must be checked: code of a kept function, or of no function. */
static bool is_kept_code(const struct input_object *object, const struct elf_section *section)
{
    if (!elf_snapshot_is_code(section))
        return false;
    const struct symbol *symbol = input_section_function(object, section, NULL);
    return !symbol || !symbol->function || symbol->function->kept;
}

static bool has_kept_code(const struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++)
        if (is_kept_code(object, &object->elf.sections[i]))
            return true;
    return false;
}

/* The objects whose code is to be checked. */
struct code_check {
    const link_context *link;
    struct input_object **objects;
    bool *is_damaged; /* for each of `objects`: whether its code is damaged */
    size_t count;
    uint64_t size; /* bytes of code in the snapshots of these objects */
};

static void find_kept_code(link_context *link, struct code_check *check)
{
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct shared_image *shared = link->objects[i]->shared;
        if (!shared || !shared->unchecked.size || !has_kept_code(link->objects[i]))
            continue;
        check->objects[check->count++] = link->objects[i];
        check->size += shared->unchecked.size;
    }
}

static void check_kept_code(void *context, unsigned worker, size_t index)
{
    const struct code_check *check = context;
    (void)worker;
    check->is_damaged[index] =
        !prepared_is_unchanged(check->link, check->objects[index]->shared->unchecked);
}

/* --------------------------------------------------------------------------------------------- */
/* Repairing it                                                                                  */

static bool has_same_sections(const struct elf_view *a, const struct elf_view *b)
{
    if (a->section_count != b->section_count)
        return false;
    for (uint32_t i = 1; i < a->section_count; i++)
        if (a->sections[i].size != b->sections[i].size ||
            elf_snapshot_is_code(&a->sections[i]) != elf_snapshot_is_code(&b->sections[i]))
            return false;
    return true;
}

/* Replaces the code of the object by the code in its input. This fails only if the snapshot was
 * made from another input. Violations of rules that allow exceptions are not reported here, because
 * an image with such a violation is never stored in a snapshot. */
static void unpack_again(link_context *link, struct input_object *object)
{
    struct bytes image = object_image(link, object);
    struct elf_view view;
    if (elf_identify(image) != ELF_KIND_DEVICE ||
        !elf_view_open(&view, image, &link->arena, elf_stop_at_damage, NULL) ||
        !has_same_sections(&view, &object->elf)) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNPACK_FAILED, object->name, NULL);
        return;
    }
    for (uint32_t i = 1; i < view.section_count; i++)
        if (elf_snapshot_is_code(&view.sections[i]))
            object->elf.sections[i].data = view.sections[i].data;
}

void pass_check_prepared(link_context *link)
{
    enum { WORTH_A_THREAD = LARGE_FROM(1 << 20, 1) };
    if (!link->options.check_prepared)
        return;
    struct code_check check = {
        .link = link,
        .objects = ARENA_ARRAY(&link->arena, struct input_object *, link->objects_count),
        .is_damaged = ARENA_ARRAY(&link->arena, bool, link->objects_count),
    };
    find_kept_code(link, &check);
    parallel_for(link_workers(link, check.size / WORTH_A_THREAD), check.count, check_kept_code,
                 &check);
    for (size_t i = 0; i < check.count; i++)
        if (check.is_damaged[i])
            unpack_again(link, check.objects[i]);
}
