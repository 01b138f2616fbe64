/* Leaves out what is not to be linked again, or at all.
 *
 * Requires: units, and for the device runtime their opened images. Objects that have been
 * device-linked before are named by the object that holds the result ("def ID" in its module ids,
 * wherever it stands); nvlink 13.0.88 skips them when it is asked for the list of linked objects.
 * The device runtime is a library like any other, but is left out when no function is undefined
 * without it, whatever it defines (34 names of functions and 7 kinds of programs with nvlink
 * 13.0.88); nvlink knows it by its path. */
#include <string.h>

#include "link/link.h"
#include "link/system_symbols.h"

static const char DEFINES[] = "def ";
enum { DEFINES_SIZE = sizeof DEFINES - 1 };

void note_linked_before(link_context *link, const struct host_object *host)
{
    struct bytes rest = host->module_ids, text;
    while (host_string_next(&rest, &text))
        if (text.size > DEFINES_SIZE && !memcmp(text.data, DEFINES, DEFINES_SIZE))
            name_table_intern(&link->linked_before, (const char *)text.data + DEFINES_SIZE);
}

bool was_linked_before(const link_context *link, const char *module_id)
{
    return link->options.skip_linked_before && name_table_find(&link->linked_before, module_id);
}

/* ld -r joins ids and fat binaries alike, so that the n-th id is that of the n-th fat binary. Where
 * there are not as many the first id stands for all, as in nvlink, which links only one. */
static void skip_linked_containers(link_context *link, struct input_unit **units, size_t count)
{
    struct {
        GROWING_ARRAY(const char *, texts);
    } ids = {.texts = NULL};
    struct bytes rest = units[0]->host->module_ids, text;
    while (host_string_next(&rest, &text))
        if (module_id_is_own(text))
            *ARENA_APPEND(ARENA, &ids, texts) = (const char *)text.data;
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
    bool is_defined; /* by another object */
};

static void collect_missing(const struct input_object *object, struct name_table *missing)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (symbol.section == SHN_UNDEF && symbol.type == STT_FUNC && !system_function(symbol.name))
            name_table_intern(missing, symbol.name);
    }
}

static void mark_defined(const struct input_object *object, const struct name_table *missing)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (symbol.section == SHN_UNDEF || symbol.binding == STB_LOCAL || symbol.type != STT_FUNC)
            continue;
        struct missing_function *function = name_table_find(missing, symbol.name);
        if (function)
            function->is_defined = true;
    }
}

static bool any_is_missing(const struct name_table *missing)
{
    for (uint32_t i = 1; i <= missing->count; i++) {
        const struct missing_function *function = name_table_entry(missing, i);
        if (!function->is_defined)
            return true;
    }
    return false;
}

/* Whether among the first objects one refers to a function that none of them defines. */
static bool functions_are_missing(link_context *link, size_t count)
{
    struct name_table missing;
    name_table_init(&missing, ARENA, sizeof(struct missing_function));
    for (size_t i = 0; i < count; i++)
        if (!link->objects[i]->unit->is_runtime)
            collect_missing(link->objects[i], &missing);
    for (size_t i = 0; missing.count && i < count; i++)
        if (!link->objects[i]->unit->is_runtime)
            mark_defined(link->objects[i], &missing);
    return any_is_missing(&missing);
}

static size_t first_of_runtime(const link_context *link)
{
    size_t i = 0;
    while (i < link->objects_count && !link->objects[i]->unit->is_runtime)
        i++;
    return i;
}

/* nvlink decides when it comes to the runtime, so that what is defined behind it counts as missing;
 * but it refuses objects behind a runtime that it has left out, which here may use it. */
static bool runtime_is_used(link_context *link)
{
    size_t first = first_of_runtime(link);
    return functions_are_missing(link, first) ||
           (first < link->objects_count && functions_are_missing(link, link->objects_count));
}

void skip_unused_runtime(link_context *link)
{
    bool any = false;
    for (size_t i = 0; i < link->units_count; i++)
        any |= link->units[i]->is_runtime;
    if (!any || link->options.keep_system_libraries || runtime_is_used(link))
        return;
    for (size_t i = 0; i < link->units_count; i++)
        link->units[i]->skipped |= link->units[i]->is_runtime;
    size_t count = 0;
    for (size_t i = 0; i < link->objects_count; i++) {
        struct input_object *object = link->objects[i];
        if (object->unit->is_runtime)
            continue;
        object->position = (uint32_t)count;
        link->objects[count++] = object;
    }
    link->objects_count = count;
}
