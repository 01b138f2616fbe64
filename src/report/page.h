/* The page for reports; the build makes its C source from page.html. */
#ifndef WARPLD_REPORT_PAGE_H
#define WARPLD_REPORT_PAGE_H

const char *page_text(void);

#endif
