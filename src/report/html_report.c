/* The report as a page; see html_report.h. The build makes page.inc of page.html, a string for each
 * line. The page needs no other file and no network. */
#include "report/html_report.h"

#include <stddef.h>
#include <string.h>

#include "report/json_report.h"
#include "report/report.h"
#include "report/text_output.h"

static const char *const LINES[] = {
#include "report/page.inc"
};

bool html_report_write(const struct report *report, struct text_output *output)
{
    bool is_whole = true;
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        if (!strcmp(LINES[i], "%REPORT%")) {
            is_whole = json_report_write(report, output);
            continue;
        }
        text_put(output, LINES[i]);
        text_put_char(output, '\n');
    }
    return is_whole;
}
