/* Skips units that were linked before, and the unused device runtime.
 *
 * Requires: LOADED (the functions that objects define and need), OPTIMISED (one more object).
 * Makes: CHOSEN, the objects that are linked.
 * Frozen after: INPUTS.
 *
 * A host object that an earlier device link made lists the objects that it contains ("def ID" in
 * its module ids). With --register-link-binaries, nvlink 13.0.88 skips these objects if they are
 * also inputs, before or after the host object.
 *
 * The device runtime is an ordinary library, which nvlink recognises by its path. nvlink 13.0.88
 * skips each object of the runtime if no function is undefined without this object, whatever the
 * object defines. This was observed with 34 names of functions, 7 kinds of programs and 40 orders
 * of runtimes. */
#include "link/input/skip_units.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"
#include "base/system_functions.h"
#include "format/container/host_object.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/input/input_state.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

static const char DEFINES[] = "def ";
enum { DEFINES_SIZE = sizeof DEFINES - 1 };

void note_linked_before(link_context *link, const struct host_object *host)
{
    struct bytes rest = host->module_ids, text;
    while (host_string_next(&rest, &text))
        if (text.size > DEFINES_SIZE && !memcmp(text.data, DEFINES, DEFINES_SIZE)) {
            name_table_intern(&link->input->linked_before, (const char *)text.data + DEFINES_SIZE);
            link->input->linked_before_uses++;
        }
}

bool was_linked_before(const link_context *link, const char *module_id)
{
    return link->options.skip_linked_before &&
           name_table_find(&link->input->linked_before, module_id);
}

/* Decides which containers of one host object are skipped. ld -r joins ids and fat binaries in the
 * same order, so the n-th id belongs to the n-th fat binary. If the numbers of ids and fat binaries
 * differ, the first id decides about all fat binaries, as in nvlink, which then links only one of
 * them. */
static void skip_linked_containers(link_context *link, struct input_unit **units, size_t count)
{
    struct {
        GROWING_ARRAY(const char *, texts);
    } ids = {.texts = NULL};
    struct bytes rest = units[0]->host->module_ids, text;
    while (host_string_next(&rest, &text))
        if (module_id_is_own(text))
            *ARENA_APPEND(&link->arena, &ids, texts) = (const char *)text.data;
    for (size_t i = 0; ids.texts_count && i < count; i++)
        units[i]->skipped = was_linked_before(link, ids.texts[ids.texts_count == count ? i : 0]);
}

void skip_linked_units(link_context *link)
{
    for (size_t i = 0, count; i < link->units_count; i += count) {
        const struct host_object *host = link->units[i]->host;
        for (count = 1; i + count < link->units_count && link->units[i + count]->host == host;)
            count++;
        if (host)
            skip_linked_containers(link, link->units + i, count);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* The device runtime                                                                            */

/* A function that some object refers to without defining it. */
struct missing_function {
    struct name name;
    bool is_referred_to;
    bool is_defined;
};

/* The missing functions of the objects linked so far. */
struct missing_functions {
    struct name_table names; /* functions that any object leaves undefined */
    size_t count;            /* number of `names` that are missing so far */
};

static bool is_function(const struct elf_symbol *symbol)
{
    return symbol->type == STT_FUNC &&
           (symbol->section == SHN_UNDEF || symbol->binding != STB_LOCAL);
}

static void collect_names(const struct input_object *object, struct name_table *names)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (is_function(&symbol) && symbol.section == SHN_UNDEF && !system_function(symbol.name))
            name_table_intern(names, symbol.name);
    }
}

static bool is_missing(const struct missing_function *function)
{
    return function->is_referred_to && !function->is_defined;
}

static void count_object(const struct input_object *object, struct missing_functions *missing)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        struct missing_function *function =
            is_function(&symbol) ? name_table_find(&missing->names, symbol.name) : NULL;
        if (!function)
            continue;
        missing->count -= is_missing(function);
        function->is_referred_to |= symbol.section == SHN_UNDEF;
        function->is_defined |= symbol.section != SHN_UNDEF;
        missing->count += is_missing(function);
    }
}

/* Updates the missing functions with the objects of a unit, which are adjacent. *next is the index
 * of the first of these objects, and becomes the index after the last one. */
static void count_unit(link_context *link, const struct input_unit *unit, size_t *next,
                       struct missing_functions *missing)
{
    for (; *next < link->objects_count && link->objects[*next]->unit == unit; ++*next)
        if (!unit->skipped && missing->names.count)
            count_object(link->objects[*next], missing);
}

/* Skips the objects of the runtime that nvlink skips. nvlink decides about each object when it
 * reads that object. It skips a runtime that precedes all device code, whatever the options. For a
 * virtual target it opens no objects, so it knows no missing functions, but it keeps every runtime
 * that follows device code. */
static void skip_as_nvlink(link_context *link, struct missing_functions *missing)
{
    bool keeps = link->options.keep_system_libraries || link->target_is_virtual;
    bool is_after_code = false;
    size_t next = 0;
    for (size_t i = 0; i < link->units_count; i++) {
        struct input_unit *unit = link->units[i];
        if (!unit->is_runtime)
            is_after_code |= !unit->skipped;
        else if (!missing->count && !(keeps && is_after_code))
            unit->skipped = true;
        count_unit(link, unit, &next, missing);
    }
}

/* Keeps a skipped runtime if later objects need it. nvlink, in contrast, refuses these objects or
 * reports undefined functions. */
static void keep_for_later_objects(link_context *link, struct missing_functions *missing)
{
    size_t next = 0;
    for (size_t i = 0; i < link->units_count && missing->count; i++) {
        struct input_unit *unit = link->units[i];
        size_t first = next;
        while (next < link->objects_count && link->objects[next]->unit == unit)
            next++;
        if (!unit->is_runtime || !unit->skipped)
            continue;
        unit->skipped = false;
        count_unit(link, unit, &first, missing);
    }
}

/* Whether the pass keeps any object of the runtime. `missing` has only the functions that other
 * objects need. Functions that objects of the runtime need do not matter, because this search ends
 * at the first object of the runtime that is kept. */
static bool keeps_any_runtime(link_context *link, struct missing_functions *missing)
{
    bool keeps = link->options.keep_system_libraries || link->target_is_virtual;
    bool is_after_code = false;
    size_t next = 0;
    for (size_t i = 0; i < link->units_count; i++) {
        const struct input_unit *unit = link->units[i];
        if (unit->is_runtime && (missing->count || (keeps && is_after_code)))
            return true;
        is_after_code |= !unit->is_runtime && !unit->skipped;
        if (!unit->is_runtime)
            count_unit(link, unit, &next, missing);
        while (next < link->objects_count && link->objects[next]->unit == unit)
            next++;
    }
    return missing->count;
}

/* Skips the whole device runtime if no other object needs it. Returns false if some object of the
 * runtime may be kept. This check is fast, because it does not read the many names in the
 * runtime. */
static bool skip_whole_runtime(link_context *link)
{
    struct missing_functions missing = {.count = 0};
    name_table_init(&missing.names, &link->arena, sizeof(struct missing_function));
    for (size_t i = 0; i < link->objects_count; i++)
        if (!link->objects[i]->unit->is_runtime)
            collect_names(link->objects[i], &missing.names);
    if (keeps_any_runtime(link, &missing))
        return false;
    for (size_t i = 0; i < link->units_count; i++)
        link->units[i]->skipped |= link->units[i]->is_runtime;
    return true;
}

static void drop_objects(link_context *link)
{
    size_t count = 0;
    for (size_t i = 0; i < link->objects_count; i++) {
        struct input_object *object = link->objects[i];
        if (object->unit->is_runtime && object->unit->skipped)
            continue;
        object->position = (uint32_t)count;
        link->objects[count++] = object;
    }
    link->objects_count = count;
}

void pass_skip_unused_runtime(link_context *link)
{
    struct missing_functions missing = {.count = 0};
    bool any = false;
    for (size_t i = 0; i < link->units_count; i++)
        any |= link->units[i]->is_runtime;
    if (!any)
        return;
    if (skip_whole_runtime(link)) {
        drop_objects(link);
        return;
    }
    name_table_init(&missing.names, &link->arena, sizeof(struct missing_function));
    for (size_t i = 0; i < link->objects_count; i++)
        collect_names(link->objects[i], &missing.names);
    skip_as_nvlink(link, &missing);
    keep_for_later_objects(link, &missing);
    drop_objects(link);
}
