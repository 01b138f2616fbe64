/* The report as a page; see html_report.h. The page needs no other file and no network. */
#include "report/html_report.h"

#include <stddef.h>
#include <string.h>

#include "report/json_report.h"
#include "report/page.h"
#include "report/report.h"
#include "report/text_output.h"

bool html_report_write(const struct report *report, struct text_output *output)
{
    bool is_whole = true;
    const char *line;
    for (size_t i = 0; (line = page_line(i)); i++) {
        if (!strcmp(line, "%REPORT%")) {
            is_whole = json_report_write(report, output);
            continue;
        }
        text_put(output, line);
        text_put_char(output, '\n');
    }
    return is_whole;
}
