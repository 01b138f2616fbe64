/* Writes lines of messages. Each line, or block of lines, is written by one system call. Concurrent
 * links, as with `make -j`, share a pipe or a log. The bytes of one call are not mixed with those
 * of other links, up to PIPE_BUF bytes in a pipe and any number in a file. nvlink also writes each
 * line by one call (observed with strace). */
#ifndef WARPLD_CLI_WHOLE_LINE_H
#define WARPLD_CLI_WHOLE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

enum { WHOLE_LINE_MOST_PARTS = 16 };

/* A line that consists of several texts. The texts are not copied, so that the message about
 * exhausted memory needs no memory. */
struct whole_line {
    struct iovec parts[WHOLE_LINE_MOST_PARTS];
    int count;
};

void whole_line_add(struct whole_line *line, const char *text);
void whole_line_add_bytes(struct whole_line *line, const char *bytes, size_t size);

/* Adds a newline and writes the line to standard error. A failure is not reported, because there is
 * nowhere to report it. */
void whole_line_write(struct whole_line *line);

/* A block of lines that are written together, so that many messages need few system calls. A block
 * has space for as many bytes as a pipe accepts as a whole. A longer line is written without a
 * block. */
struct line_block {
    int descriptor;
    bool failed; /* some bytes could not be written */
    size_t size;
    char bytes[4096];
};

/* Adds the line and a newline to the block. If they do not fit, the block is first written and
 * emptied. */
void line_block_add(struct line_block *block, struct whole_line *line);
void line_block_write(struct line_block *block);

/* Writes a line that consists of one text to standard error. */
void whole_line_write_text(const char *text);

#endif
