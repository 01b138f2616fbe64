/* Reads the arguments of the command line. The arguments of an options file are inserted at the
 * position where the file is named. */
#ifndef WARPLD_CLI_OPTIONS_OPTIONS_FILE_H
#define WARPLD_CLI_OPTIONS_OPTIONS_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* The maximum number of open files, including the command line: 16 as in nvlink 13.0.88. The limit
 * is needed because each file can name the next one twice. The number of files to read then doubles
 * with every level. */
enum { MOST_OPEN_FILES = 16 };

/* The arguments of a file that is being read. `next` is the index of the next one. */
struct open_arguments {
    const char **arguments;
    size_t count;
    size_t next;
};

/* An options file that was read, and its contents. */
struct options_file {
    const char *path;
    struct bytes contents;
};

struct argument_source {
    struct arena *arena;
    GROWING_ARRAY(struct options_file, files);
    /* the first one is argv; the last one is being read */
    struct open_arguments open[MOST_OPEN_FILES];
    int depth;
};

void argument_source_init(struct argument_source *source, struct arena *arena, int argc,
                          char **argv);

/* Returns the next argument; NULL at the end. The argument is valid as long as the arena or
 * argv. */
const char *argument_source_next(struct argument_source *source);

/* Returns the value of an option: the next argument of the same file. Returns NULL at the end of
 * this file, because an option does not take its value from another file. */
const char *argument_source_value(struct argument_source *source);

/* Whether argument_source_value would return an argument that does not begin with a dash. */
bool argument_source_has_value(const struct argument_source *source);

/* Reads an options file. Its arguments become the next arguments. Returns NULL or an error message.
 *
 * Blanks separate arguments. Double quotes enclose blanks within an argument. A backslash escapes
 * the next character. Quotes are removed, even escaped quotes. As in nvlink 13.0.88, single quotes
 * are ordinary characters, and there are no comments. */
const char *argument_source_open(struct argument_source *source, const char *path);

/* Reverses the order of the open files from index `first` on, so that the file that was opened
 * first is read first. */
void argument_source_turn(struct argument_source *source, int first);

bool argument_source_can_open(const char *path);

#endif
