/* Lines on standard error, each written by one call: links that run at once, as under `make -j`,
 * share a pipe or a log, and what one call writes stays together (a line of up to PIPE_BUF bytes in
 * a pipe, of any length in a file). So does nvlink (seen with strace). */
#ifndef WARPLD_CLI_WHOLE_LINE_H
#define WARPLD_CLI_WHOLE_LINE_H

#include <stddef.h>
#include <sys/uio.h>

enum { WHOLE_LINE_MOST_PARTS = 16 };

/* Its texts stay where they are: a message that memory has run out needs none. */
struct whole_line {
    struct iovec parts[WHOLE_LINE_MOST_PARTS];
    int count;
};

void whole_line_add(struct whole_line *line, const char *text);
void whole_line_add_bytes(struct whole_line *line, const char *bytes, size_t size);

/* Adds the newline. A failure is not told: there is nowhere left to tell it. */
void whole_line_write(struct whole_line *line);

/* A line that is one text. */
void whole_line_write_text(const char *text);

#endif
