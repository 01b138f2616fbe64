/* The page of reports, line by line; the build makes its source of page.html. */
#ifndef WARPLD_REPORT_PAGE_H
#define WARPLD_REPORT_PAGE_H

#include <stddef.h>

/* The line of that number, without a newline; NULL after the last one. */
const char *page_line(size_t index);

#endif
