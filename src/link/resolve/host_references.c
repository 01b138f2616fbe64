/* Finds the kernels and constants that host code refers to; see host_references.h.
 *
 * nvcc lists these kernels in two sections of host objects, as patterns in which a star matches any
 * text. .nvHRKE has the patterns for GLOBAL and WEAK kernels, such as "_Z4kernel*". .nvHRKI has the
 * patterns for LOCAL kernels, such as "__nv_static_26__5ab8c871_5_hr_cu_dfd91b4d_*6kernel*" (81
 * pairs of patterns with nvlink 13.0.88).
 *
 * nvlink removes kernels that match no pattern, but only under two conditions:
 *
 *   - All inputs are host objects that have relocatable device code and .nvHRKE. They need not have
 *     .nvHRKI.
 *   - At least one input other than the device runtime has a pattern.
 *
 * For these conditions, a host object without device code counts as an input; a shared library, a
 * program or an empty file does not. */
#include "link/resolve/host_references.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/host_object.h"
#include "format/elf.h"
#include "link/input/input_state.h"
#include "link/model/input_file.h"
#include "link/model/symbols.h"
#include "link/resolve/name_patterns.h"
#include "warpld.h"

struct host_references {
    struct name_patterns external; /* for GLOBAL and WEAK symbols */
    struct name_patterns internal; /* for LOCAL symbols */
};

/* Finds the next pattern. The last one may lack its NUL (observed with a section that ends before
 * the NUL). */
static bool next_pattern(struct bytes *rest, struct bytes *text)
{
    if (host_string_next(rest, text))
        return true;
    *text = *rest;
    *rest = (struct bytes){NULL, 0};
    return text->size > 0;
}

/* Whether the section contains a pattern. A section without patterns contains one empty string. */
static bool refers_to_any(const struct host_object *host, enum host_reference kind)
{
    struct bytes rest = host->references[kind], text;
    while (next_pattern(&rest, &text))
        if (text.size)
            return true;
    return false;
}

/* Whether a unit counts as an input for the conditions at the head of this file. A program does
 * not, unless it is a member of an archive (observed). */
static bool host_takes_part(const struct input_unit *unit)
{
    bool is_program = unit->is_executable && !unit->host && !unit->is_member;
    return !unit->skipped && !is_program;
}

bool host_references_are_complete(const link_context *link)
{
    const struct warpld_options *options = &link->options;
    bool any = false;
    if (options->ignore_host_references || options->debug || options->kernels_used_count ||
        options->variables_used_count || link->input->has_silent_host_object)
        return false;
    for (size_t i = 0; i < link->units_count; i++) {
        const struct input_unit *unit = link->units[i];
        if (!host_takes_part(unit))
            continue;
        if (!unit->host)
            return false;
        any |= !unit->is_runtime && (refers_to_any(unit->host, HOST_KERNELS_EXTERNAL) ||
                                     refers_to_any(unit->host, HOST_KERNELS_INTERNAL));
    }
    return any;
}

static void add_section(struct name_patterns *patterns, struct bytes strings)
{
    struct bytes text;
    while (next_pattern(&strings, &text))
        if (text.size)
            name_patterns_add(patterns, text);
}

/* Returns the patterns in a unit's host code; empty if the unit has no host code. */
static struct bytes references_of_unit(const struct input_unit *unit, enum host_reference kind)
{
    static const struct bytes NOTHING = {0};
    return unit->skipped || !unit->host ? NOTHING : unit->host->references[kind];
}

static void collect_references(link_context *link, struct name_patterns *patterns,
                               enum host_reference kind)
{
    name_patterns_init(patterns, &link->arena);
    const struct host_object *last = NULL; /* last one that was read; its units are adjacent */
    for (size_t i = 0; i < link->units_count; i++) {
        const struct input_unit *unit = link->units[i];
        if (unit->skipped || !unit->host || unit->host == last)
            continue;
        last = unit->host;
        add_section(patterns, references_of_unit(unit, kind));
    }
}

struct host_references *host_references_collect(link_context *link)
{
    if (!host_references_are_complete(link))
        return NULL;
    struct host_references *references = ARENA_NEW(&link->arena, struct host_references);
    collect_references(link, &references->external, HOST_KERNELS_EXTERNAL);
    collect_references(link, &references->internal, HOST_KERNELS_INTERNAL);
    return references;
}

struct host_references *host_references_of_constants(link_context *link)
{
    struct host_references *references = ARENA_NEW(&link->arena, struct host_references);
    collect_references(link, &references->external, HOST_CONSTANTS_EXTERNAL);
    collect_references(link, &references->internal, HOST_CONSTANTS_INTERNAL);
    return references;
}

bool host_references_have(struct host_references *references, const struct symbol *symbol)
{
    bool is_internal = symbol->binding == STB_LOCAL;
    return name_patterns_have(is_internal ? &references->internal : &references->external,
                              symbol_name(symbol));
}
