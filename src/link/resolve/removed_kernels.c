/* Reports removed kernels; see removed_kernels.h. */
#include "link/resolve/removed_kernels.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "link/model/callgraph.h"
#include "link/model/input_object.h"
#include "link/model/symbols.h"
#include "link/notes/name_pattern.h"
#include "warpld.h"

enum { NAMED_KERNELS = 3 };

struct removed {
    size_t kernels;                   /* number of defined kernels */
    size_t count;                     /* number of removed kernels */
    const char *names[NAMED_KERNELS]; /* names of the first removed kernels */
};

static struct removed find_removed(const link_context *link)
{
    struct removed removed = {.count = 0};
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        if (!function->entry || !function->symbol->defined)
            continue;
        removed.kernels++;
        if (function->kept)
            continue;
        if (removed.count < NAMED_KERNELS)
            removed.names[removed.count] = symbol_name(function->symbol);
        removed.count++;
    }
    return removed;
}

static void report_by_host(link_context *link, const struct removed *removed)
{
    size_t named = removed->count < NAMED_KERNELS ? removed->count : NAMED_KERNELS;
    const char *names = arena_join_all(&link->arena, removed->names, named, ", ");
    const char *more = removed->count > named ? ", ..." : "";
    if (removed->count == removed->kernels)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_ALL_KERNELS_UNREFERENCED, NULL, NULL,
                          removed->count, names, more);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_KERNELS_REMOVED, NULL, NULL,
                          removed->count, removed->kernels, names, more);
}

/* A text of an option that is compared with the names of kernels or variables. */
struct searched_text {
    struct bytes pattern; /* the text, with a star at each end */
    uint64_t effort;      /* cost of all texts so far, in units of about 1 ns */
};

/* An option file can have a million texts. After this effort no further texts are checked. */
static const uint64_t MOST_EFFORT = UINT64_C(1) << 31;
enum { EFFORT_OF_NAME = 32, EFFORT_OF_TEXT = 1000 };

static bool has_text(struct searched_text *searched, const char *name)
{
    struct bytes text = {(const uint8_t *)name, strlen(name)};
    searched->effort += EFFORT_OF_NAME + text.size;
    return name_pattern_matches(searched->pattern, text);
}

static bool matches_kernel(const link_context *link, struct searched_text *searched)
{
    for (size_t i = 0; i < link->functions_count && searched->effort < MOST_EFFORT; i++) {
        const struct function *function = link->functions[i];
        if (function->entry && has_text(searched, symbol_name(function->symbol)))
            return true;
    }
    return false;
}

static bool object_has_variable(const struct input_object *object, struct searched_text *searched)
{
    uint32_t count = object->elf.symbols[VIEW_NATIVE].count;
    for (uint32_t i = 1; i < count && searched->effort < MOST_EFFORT; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        searched->effort++;
        if (elf_symbol_is_variable(&symbol) && has_text(searched, symbol.name))
            return true;
    }
    return false;
}

static bool matches_variable(const link_context *link, struct searched_text *searched)
{
    for (size_t i = 0; i < link->objects_count; i++)
        if (object_has_variable(link->objects[i], searched))
            return true;
    return false;
}

typedef bool matches_any(const link_context *link, struct searched_text *searched);

static void check_names(link_context *link, const char *const *texts, size_t count,
                        matches_any *matches, enum diagnostic_name message)
{
    struct searched_text searched = {.effort = 0};
    for (size_t i = 0; i < count; i++) {
        const char *pattern = arena_format(&link->arena, "*%s*", texts[i]);
        searched.pattern = (struct bytes){(const uint8_t *)pattern, strlen(pattern)};
        searched.effort += EFFORT_OF_TEXT + searched.pattern.size;
        bool is_used = matches(link, &searched);
        if (searched.effort >= MOST_EFFORT)
            return;
        if (!is_used)
            diagnostic_report(&link->diagnostics, message, NULL, texts[i], texts[i]);
    }
}

void removed_kernels_report(link_context *link, bool by_host)
{
    const struct warpld_options *options = &link->options;
    bool by_option = options->kernels_used_count || options->variables_used_count;
    if (options->as_nvlink || options->relocatable || !link->objects_count ||
        !(by_host || by_option))
        return;
    struct removed removed = find_removed(link);
    check_names(link, options->kernels_used, options->kernels_used_count, matches_kernel,
                DIAGNOSTIC_KERNEL_UNMATCHED);
    check_names(link, options->variables_used, options->variables_used_count, matches_variable,
                DIAGNOSTIC_VARIABLE_UNMATCHED);
    if (by_option && removed.count && removed.count == removed.kernels)
        diagnostic_report(
            &link->diagnostics, DIAGNOSTIC_ALL_KERNELS_REMOVED, NULL, NULL, removed.count,
            options->kernels_used_count ? "--kernels-used names none of them"
                                        : "--variables-used is given without --kernels-used");
    else if (by_host && removed.count)
        report_by_host(link, &removed);
}
