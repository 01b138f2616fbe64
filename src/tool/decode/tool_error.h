/* Writes cubintool's errors. */
#ifndef WARPLD_TOOL_DECODE_TOOL_ERROR_H
#define WARPLD_TOOL_DECODE_TOOL_ERROR_H

/* Writes the line "cubintool: MESSAGE" to stderr in one call. The message is escaped. */
__attribute__((format(printf, 1, 2))) void tool_error(const char *format, ...);

#endif
