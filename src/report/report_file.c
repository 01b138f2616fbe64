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

/* The argument of abandon: the file that is being written, and the out-of-memory handler of the
 * arena with its own argument. */
struct abandonment {
    struct file_sink *sink;
    void (*out_of_memory)(void *owner);
    void *owner;
};

/* The arena's handler while a report is written. It abandons the file first, because the original
 * handler of the arena ends the process. */
static void abandon(void *owner)
{
    const struct abandonment *abandonment = owner;
    file_sink_abandon(abandonment->sink);
    abandonment->out_of_memory(abandonment->owner);
}

/* Writes the report. file_replace.c may call this function twice: if the first temporary file
 * cannot be named or cannot replace the older file, the whole report is written again. */
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
