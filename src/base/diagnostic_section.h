/* Finds the section that a message names. */
#ifndef WARPLD_BASE_DIAGNOSTIC_SECTION_H
#define WARPLD_BASE_DIAGNOSTIC_SECTION_H

#include <stdarg.h>

/* Returns the first section name among the arguments of a message's printf format: a string
 * argument that directly follows "section " or ":(" in the format, with or without a quote. Returns
 * NULL if there is none. */
const char *diagnostic_section(const char *format, va_list arguments);

#endif
