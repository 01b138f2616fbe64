/* The page of reports; the build makes its source of page.html. */
#ifndef WARPLD_REPORT_PAGE_H
#define WARPLD_REPORT_PAGE_H

const char *page_text(void);

#endif
