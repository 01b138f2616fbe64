/* Finds the section that a message names. */
#ifndef WARPLD_BASE_DIAGNOSTIC_SECTION_H
#define WARPLD_BASE_DIAGNOSTIC_SECTION_H

#include <stdarg.h>

/* Returns the argument of the text's printf format that is the name of a section: the first string
 * that directly follows "section " or ":(", with or without a quote. NULL if there is none. */
const char *diagnostic_section(const char *format, va_list arguments);

#endif
