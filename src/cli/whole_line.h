/* Lines of messages. One call writes a line, or a block of lines. Concurrent links, as under
 * `make -j`, share a pipe or a log, and the bytes of one call remain together (up to PIPE_BUF bytes
 * in a pipe, any number in a file). nvlink writes each line by one call (observed with strace). */
#ifndef WARPLD_CLI_WHOLE_LINE_H
#define WARPLD_CLI_WHOLE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

enum { WHOLE_LINE_MOST_PARTS = 16 };

/* Texts are not copied, so that the message about exhausted memory needs no memory. */
struct whole_line {
    struct iovec parts[WHOLE_LINE_MOST_PARTS];
    int count;
};

void whole_line_add(struct whole_line *line, const char *text);
void whole_line_add_bytes(struct whole_line *line, const char *bytes, size_t size);

/* Adds the newline and writes the line to standard error. A failure is not reported, because there
 * is nowhere to report it. */
void whole_line_write(struct whole_line *line);

/* Lines that are written together, so that many messages take few calls. A block is no larger than
 * what a pipe accepts as a whole. */
struct line_block {
    int descriptor;
    bool failed; /* bytes could not be written */
    size_t size;
    char bytes[4096];
};

/* Adds the newline and the line to the block. A block in which the line does not fit is written
 * first. */
void line_block_add(struct line_block *block, struct whole_line *line);
void line_block_write(struct line_block *block);

/* Writes a line that consists of one text to standard error. */
void whole_line_write_text(const char *text);

#endif
