/* Options that describe a finished link; see inspect.h. */
#include "cli/inspect/inspect.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "cli/options/threads.h"
#include "report/html_report.h"
#include "report/json_report.h"
#include "report/map.h"
#include "report/references_text.h"
#include "report/removed_text.h"
#include "report/report_file.h"
#include "report/text_output.h"
#include "report/why_text.h"
#include "warpld.h"

static const enum option_id OPTIONS[] = {OPTION_MAP,  OPTION_REPORT, OPTION_PRINT_REMOVED,
                                         OPTION_WHY,  OPTION_CREF,   OPTION_TRACE_SYMBOL,
                                         OPTION_LIMIT};

struct report inspection_report(const struct command_line *line, struct arena *arena,
                                struct warpld_link *link, struct readable_names *names)
{
    return (struct report){
        .arena = arena,
        .link = link,
        .names = names,
        .keeps_mangled = command_line_given(line, OPTION_NO_DEMANGLE),
        .target = command_line_text(line, OPTION_ARCHITECTURE),
        .output = command_line_text(line, OPTION_OUTPUT),
        .threads = threads_of(line),
    };
}

bool inspection_is_wanted(const struct command_line *line)
{
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (command_line_given(line, OPTIONS[i]))
            return true;
    return false;
}

bool inspection_is_possible(struct warpld_link *link)
{
    struct warpld_piece piece = {.size = sizeof piece};
    return warpld_get_piece(link, 0, &piece) == WARPLD_OK;
}

bool inspection_uses_stdout(const struct command_line *line)
{
    static const enum option_id TEXTS[] = {OPTION_PRINT_REMOVED, OPTION_WHY, OPTION_CREF,
                                           OPTION_TRACE_SYMBOL};
    const char *map = command_line_text(line, OPTION_MAP);
    const struct option_value *reports = &line->options[OPTION_REPORT];
    bool uses = map && !strcmp(map, "-");
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        uses |= command_line_given(line, TEXTS[i]);
    for (size_t i = 0; i < reports->items_count; i++)
        uses |= !strcmp(reports->items[i], "-");
    return uses;
}

/* --------------------------------------------------------------------------------------------- */
/* Text on standard output                                                                       */

typedef bool write_about(const struct report *report, struct text_output *output, const char *word);

static void write_each(const struct report *report, struct text_output *output,
                       const struct option_value *words, write_about *write)
{
    for (size_t i = 0; i < words->items_count; i++)
        write(report, output, words->items[i]);
}

static void write_texts(const struct command_line *line, const struct report *report)
{
    struct text_output *output = ARENA_NEW(report->arena, struct text_output);
    output->stream = stdout;
    if (command_line_given(line, OPTION_PRINT_REMOVED))
        removed_write(report, output);
    write_each(report, output, &line->options[OPTION_WHY], why_write);
    write_each(report, output, &line->options[OPTION_TRACE_SYMBOL], trace_symbol_write);
    if (command_line_given(line, OPTION_CREF))
        cross_references_write(report, output);
    text_output_flush(output);
}

static report_writer *writer_of(const char *path)
{
    static const char HTML[] = ".html";
    size_t size = strlen(path), end = sizeof HTML - 1;
    bool is_page = size >= end && !strcmp(path + size - end, HTML);
    return is_page ? html_report_write : json_report_write;
}

const char *inspection_write(const struct command_line *line, const struct report *report)
{
    const char *map = command_line_text(line, OPTION_MAP);
    if (map && report_write_file(report, map, map_write))
        return map;
    const struct option_value *reports = &line->options[OPTION_REPORT];
    for (size_t i = 0; i < reports->items_count; i++)
        if (report_write_file(report, reports->items[i], writer_of(reports->items[i])))
            return reports->items[i];
    write_texts(line, report);
    return NULL;
}
