/* Describes the links of a device link; see target_inspection.h. */
#include "cli/device_link/target_inspection.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cli/device_link/targets.h"
#include "cli/inspect/inspect.h"
#include "cli/inspect/limit_errors.h"
#include "cli/inspect/statistics.h"
#include "cli/options/options.h"
#include "report/limits.h"
#include "report/report.h"
#include "warpld.h"

static bool is_for_each(const char *path)
{
    return !path || !strcmp(path, "-") || targets_are_in_name(path);
}

const char *target_inspection_problem(const struct command_line *line, size_t targets_count)
{
    const struct option_value *reports = &line->options[OPTION_REPORT];
    bool is_possible = targets_count < 2 || is_for_each(command_line_text(line, OPTION_MAP));
    for (size_t i = 0; i < reports->items_count; i++)
        is_possible &= targets_count < 2 || is_for_each(reports->items[i]);
    return is_possible ? NULL
                       : "The names of maps and reports need '%a' in place of the target, as there "
                         "are several";
}

void target_inspection_name_files(struct target_link *target)
{
    struct option_value *map = &target->line.options[OPTION_MAP];
    struct option_value *reports = &target->line.options[OPTION_REPORT];
    const char *name = command_line_text(&target->line, OPTION_ARCHITECTURE);
    const char **items = ARENA_ARRAY(&target->arena, const char *, reports->items_count);
    if (map->text)
        map->text = target_file_name(&target->arena, map->text, name);
    for (size_t i = 0; i < reports->items_count; i++)
        items[i] = target_file_name(&target->arena, reports->items[i], name);
    reports->items = items;
}

/* --------------------------------------------------------------------------------------------- */
/* Reports                                                                                       */

/* Returns the link's messages for its report. Only messages of the library are in the report, not
 * those of compilers. */
static struct report_message *messages_of(struct target_link *target, size_t *count)
{
    const struct target_messages *taken = &target->messages;
    struct report_message *messages =
        ARENA_ARRAY(&target->arena, struct report_message, taken->list_count);
    *count = 0;
    for (size_t i = 0; i < taken->list_count; i++) {
        if (!taken->list[i].is_of_compiler)
            messages[(*count)++] = report_message_of(&taken->list[i].diagnostic);
    }
    return messages;
}

static struct report report_of(struct target_link *target, struct readable_names *names)
{
    struct report report = inspection_report(&target->line, &target->arena, target->link, names);
    report.messages = messages_of(target, &report.messages_count);
    return report;
}

bool target_limits_hold(struct target_link *target, struct limits *limits,
                        struct readable_names *names, const struct message_printer *printer)
{
    if (!limits->list_count)
        return true;
    const struct report report = report_of(target, names);
    return limits_hold(&report, limits, printer->diagnostic, printer->context);
}

const char *target_describe(struct target_link *target, struct readable_names *names)
{
    const struct command_line *line = &target->line;
    const char *name = command_line_text(line, OPTION_ARCHITECTURE);
    if (command_line_given(line, OPTION_STATISTICS)) {
        fprintf(stderr, "%s:\n", name);
        statistics_print(&target->measures, target->link, &target->compiler.counts);
    }
    if (!inspection_is_wanted(line))
        return NULL;
    if (inspection_uses_stdout(line))
        printf("%s:\n", name);
    const struct report report = report_of(target, names);
    return inspection_write(line, &report);
}
