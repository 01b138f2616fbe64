/* The HTML page into which a report is written. The build makes the C source of this text from
 * page.html. */
#ifndef WARPLD_REPORT_PAGE_H
#define WARPLD_REPORT_PAGE_H

const char *page_text(void);

#endif
