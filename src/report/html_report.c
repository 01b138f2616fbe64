/* The report as a page; see html_report.h. The page is one file, which needs no network. */
#include "report/html_report.h"

#include <stddef.h>
#include <string.h>

#include "report/json_report.h"
#include "report/page.h"
#include "report/report.h"
#include "report/text_output.h"

bool html_report_write(const struct report *report, struct text_output *output)
{
    static const char MARK[] = "%REPORT%";
    const char *page = page_text(), *mark = strstr(page, MARK);
    text_put_bytes(output, page, (size_t)(mark - page));
    bool is_whole = json_report_write(report, output);
    text_put(output, mark + strlen(MARK));
    return is_whole;
}
