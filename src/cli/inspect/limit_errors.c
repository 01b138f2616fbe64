/* Messages about limits; see limit_errors.h. */
#include "cli/inspect/limit_errors.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/terminal_text.h"

/* --------------------------------------------------------------------------------------------- */
/* Options                                                                                       */

/* Reads a limit from each line, except empty lines and lines that begin with '#'. */
static const char *read_lines(struct limits *limits, struct arena *arena, struct bytes text)
{
    const char *problem = NULL;
    const uint8_t *next = text.data, *end = text.data + text.size;
    while (!problem && next < end) {
        const uint8_t *newline = memchr(next, '\n', (size_t)(end - next));
        const uint8_t *stop = newline ? newline : end;
        char *line = arena_copy_string(arena, (const char *)next, (size_t)(stop - next));
        line += strspn(line, " \t");
        size_t size = strlen(line);
        while (size && strchr(" \t\r", line[size - 1]))
            line[--size] = 0;
        if (size && *line != '#')
            problem = limits_read(limits, arena, line);
        next = stop + 1;
    }
    return problem;
}

static const char *read_file_of_limits(struct limits *limits, struct arena *arena, const char *path)
{
    struct mapped_file file;
    if (file_map(&file, path))
        return arena_format(arena, "Could not open the file '%s' of --limit", path);
    const char *problem = read_lines(limits, arena, file.bytes);
    file_unmap(&file);
    return problem ? arena_format(arena, "In the file '%s' of --limit: %s", path, problem) : NULL;
}

const char *limits_of_line(struct limits *limits, const struct command_line *line)
{
    const struct option_value *given = &line->options[OPTION_LIMIT];
    const char *problem = NULL;
    for (size_t i = 0; !problem && i < given->items_count; i++) {
        const char *text = given->items[i], *path = option_limit_file(text);
        problem = path ? read_file_of_limits(limits, line->arena, path)
                       : limits_read(limits, line->arena, text);
    }
    return problem;
}

/* --------------------------------------------------------------------------------------------- */
/* Messages                                                                                      */

struct limit_reporter {
    const struct report *report;
    warpld_diagnostic_callback *take;
    void *context;
    size_t explained;
    bool is_exceeded;
};

/* Reports a message. Escapes its control characters, so that a name from a file cannot look like a
 * separate line. */
static void say(const struct limit_reporter *reporter, enum warpld_severity severity,
                const char *code, const char *text)
{
    const struct warpld_diagnostic diagnostic = {
        .size = sizeof diagnostic,
        .severity = severity,
        .code = code,
        .text = terminal_text_show(reporter->report->arena, text),
    };
    reporter->take(reporter->context, &diagnostic);
}

/* Reports a variable in a note. The note has the code and the text of LIMIT_PART in
 * base/diagnostics.def, which the library reports when a program exceeds a limit of the target. */
static void say_variable(const struct limit_reporter *reporter, const struct warpld_need *need)
{
    const struct report *report = reporter->report;
    say(reporter, WARPLD_NOTE, "limit-part",
        arena_format(report->arena, "%llu bytes for '%s' in '%s'", (unsigned long long)need->amount,
                     report_name(report, need->name), need->input));
    if (need->user)
        say(reporter, WARPLD_NOTE, "limit-part-use",
            arena_format(report->arena, "used by: '%s'", report_name(report, need->user)));
}

static void say_call(const struct limit_reporter *reporter, const struct limit_excess *excess,
                     const struct warpld_need *need, size_t number)
{
    static const struct {
        const char *code, *before, *after;
    } WORDS[] = {{"call-first", "", " uses"},
                 {"call-direct", "calls ", ", which uses"},
                 {"call-pointer", "calls, through a pointer, ", ", which uses"}};
    const struct report *report = reporter->report;
    bool is_stack = excess->limit->resource == LIMITED_STACK;
    int words = !number ? 0 : need->is_called_indirectly ? 2 : 1;
    say(reporter, WARPLD_NOTE, WORDS[words].code,
        arena_format(report->arena, "%s'%s' in '%s'%s %llu %s%s", WORDS[words].before,
                     report_name(report, need->name), need->input, WORDS[words].after,
                     (unsigned long long)need->amount, is_stack ? "bytes of stack" : "registers",
                     need->is_recursive ? " and is recursive" : ""));
}

/* Reports how many further calls or variables there are. `first` is the index of the first one that
 * has no note. */
static void say_more(struct limit_reporter *reporter, const struct limit_excess *excess,
                     enum warpld_resource resource, size_t first)
{
    struct warpld_need need = {.size = sizeof need};
    struct warpld_link *link = reporter->report->link;
    size_t more = 0;
    while (warpld_get_need(link, excess->number, resource, first + more, &need) == WARPLD_OK)
        more++;
    if (more)
        say(reporter, WARPLD_NOTE, "limit-more",
            arena_format(reporter->report->arena, "... and %zu more", more));
}

/* Reports which calls or variables cause the excess: in at most MOST_PARTS notes, and only for the
 * first MOST_EXPLAINED errors. */
static void say_needs(struct limit_reporter *reporter, const struct limit_excess *excess)
{
    enum { MOST_EXPLAINED = 20, MOST_PARTS = 12 };
    static const enum warpld_resource RESOURCES[] = {[LIMITED_REGISTERS] =
                                                         WARPLD_RESOURCE_REGISTERS,
                                                     [LIMITED_STACK] = WARPLD_RESOURCE_STACK,
                                                     [LIMITED_SHARED] = WARPLD_RESOURCE_SHARED};
    struct warpld_need need = {.size = sizeof need};
    if (excess->limit->resource > LIMITED_SHARED || reporter->explained++ >= MOST_EXPLAINED)
        return;
    enum warpld_resource resource = RESOURCES[excess->limit->resource];
    for (size_t i = 0; i < MOST_PARTS; i++) {
        if (warpld_get_need(reporter->report->link, excess->number, resource, i, &need) !=
            WARPLD_OK)
            return;
        if (resource == WARPLD_RESOURCE_SHARED)
            say_variable(reporter, &need);
        else
            say_call(reporter, excess, &need, i);
    }
    say_more(reporter, excess, resource, MOST_PARTS);
}

static void report_excess(void *context, const struct limit_excess *excess)
{
    struct limit_reporter *reporter = context;
    const struct report *report = reporter->report;
    const char *unit = limited_resource_text(excess->limit->resource);
    const char *needed =
        excess->is_unbounded
            ? arena_format(report->arena, "an unknown number of %s, because calls recurse", unit)
            : arena_format(report->arena, "%llu %s", (unsigned long long)excess->amount, unit);
    reporter->is_exceeded = true;
    say(reporter, WARPLD_ERROR, "limit-exceeded",
        arena_format(report->arena, "Kernel '%s' of %s needs %s, but --limit allows %llu for '%s'",
                     report_name(report, excess->kernel->name), excess->kernel->input, needed,
                     (unsigned long long)excess->limit->most, excess->limit->pattern));
    say_needs(reporter, excess);
}

static void warn_of_unused(const struct limit_reporter *reporter, const struct limits *limits)
{
    const char *pattern = NULL;
    for (size_t i = 0; i < limits->list_count; i++) {
        const struct limit *limit = &limits->list[i];
        if (!limit->is_used && limit->pattern != pattern)
            say(reporter, WARPLD_WARNING, "limit-unmatched",
                arena_format(reporter->report->arena, "No kernel matches '%s' of --limit",
                             limit->pattern));
        pattern = limit->pattern;
    }
}

bool limits_hold(const struct report *report, struct limits *limits,
                 warpld_diagnostic_callback *take, void *context)
{
    struct limit_reporter reporter = {.report = report, .take = take, .context = context};
    for (size_t i = 0; i < limits->list_count; i++)
        limits->list[i].is_used = false; /* a link for an earlier target may have set it */
    bool is_whole = limits_check(report, limits, report_excess, &reporter);
    warn_of_unused(&reporter, limits);
    return is_whole && !reporter.is_exceeded;
}
