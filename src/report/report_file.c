/* Files of reports; see report_file.h. */
#include "report/report_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/file_sink.h"
#include "report/report.h"
#include "report/text_output.h"

struct report_target {
    const struct report *report;
    report_writer *write;
    struct text_output *output;
};

/* What is done when memory runs out while a file is written. */
struct abandonment {
    struct file_sink *sink;
    void (*out_of_memory)(void *owner);
    void *owner;
};

/* Abandons the file first, because the arena's own handler ends the process, on whichever thread it
 * is called. */
static void abandon(void *owner)
{
    const struct abandonment *abandonment = owner;
    file_sink_abandon(abandonment->sink);
    abandonment->out_of_memory(abandonment->owner);
}

/* Can be called a second time for one report: if the first temporary file could not be named or
 * could not replace the older file, the whole report is written again (file_replace.c). */
static bool make_report(void *context, struct file_sink *sink)
{
    const struct report_target *target = context;
    struct arena *arena = target->report->arena;
    struct abandonment abandonment = {sink, arena->out_of_memory, arena->owner};
    arena->out_of_memory = abandon;
    arena->owner = &abandonment;
    text_output_start(target->output, sink);
    bool is_whole = target->write(target->report, target->output);
    text_output_flush(target->output);
    arena->out_of_memory = abandonment.out_of_memory;
    arena->owner = abandonment.owner;
    return is_whole;
}

int report_write_file(const struct report *report, const char *path, report_writer *write)
{
    struct text_output *output = ARENA_NEW(report->arena, struct text_output);
    struct report_target target = {report, write, output};
    struct file_replacement replacement = {.is_durable = false};
    if (!strcmp(path, "-")) {
        output->stream = stdout;
        bool is_whole = write(report, output);
        text_output_flush(output);
        return is_whole ? 0 : ECANCELED;
    }
    int error = file_replace_made(path, make_report, &target, &replacement);
    if (replacement.older >= 0)
        close(replacement.older);
    return error;
}
