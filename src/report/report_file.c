/* Files of reports; see report_file.h. */
#include "report/report_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "report/report.h"
#include "report/text_output.h"

struct report_target {
    const struct report *report;
    report_writer *write;
    struct text_output *output;
};

static bool make_report(void *context, struct file_sink *sink)
{
    const struct report_target *target = context;
    target->output->sink = sink;
    bool is_whole = target->write(target->report, target->output);
    text_output_flush(target->output);
    return is_whole;
}

int report_write_file(const struct report *report, const char *path, report_writer *write)
{
    struct text_output *output = ARENA_NEW(report->arena, struct text_output);
    struct report_target target = {report, write, output};
    int replaced = -1;
    if (!strcmp(path, "-")) {
        output->stream = stdout;
        bool is_whole = write(report, output);
        text_output_flush(output);
        return is_whole ? 0 : ECANCELED;
    }
    int error = file_replace_made(path, make_report, &target, &replaced);
    if (replaced >= 0)
        close(replaced);
    return error;
}
