/* The arguments of the command line, with those of options files inserted where the files are
 * named. */
#ifndef WARPLD_CLI_OPTIONS_OPTIONS_FILE_H
#define WARPLD_CLI_OPTIONS_OPTIONS_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* The command line and 15 files, as in nvlink 13.0.88. A limit is needed because each file can name
 * the next one twice, so that the number of files read doubles with every level. */
enum { MOST_OPEN_FILES = 16 };

/* The arguments of a file that is being read. */
struct open_arguments {
    const char **arguments;
    size_t count;
    size_t next;
};

/* A file that was read, and its contents. */
struct options_file {
    const char *path;
    struct bytes contents;
};

struct argument_source {
    struct arena *arena;
    GROWING_ARRAY(struct options_file, files);
    struct open_arguments open[MOST_OPEN_FILES]; /* the last one is being read; the first is argv */
    int depth;
};

void argument_source_init(struct argument_source *source, struct arena *arena, int argc,
                          char **argv);

/* Returns the next argument; NULL at the end. It lives as long as the arena or argv. */
const char *argument_source_next(struct argument_source *source);

/* Returns the next argument of the file from which the last one came, or NULL at the end of that
 * file: an option at the end of a file does not take its value from elsewhere. */
const char *argument_source_value(struct argument_source *source);

/* Whether argument_source_value would return an argument that does not begin with a dash. */
bool argument_source_has_value(const struct argument_source *source);

/* Reads a file, whose arguments come next. Returns NULL or an error message.
 *
 * Arguments are separated by blanks. Double quotes enclose blanks within an argument, and a
 * backslash escapes the next character except a quote, which is removed anyway. Single quotes are
 * ordinary characters and there are no comments, as in nvlink 13.0.88. */
const char *argument_source_open(struct argument_source *source, const char *path);

/* Reverses the order of the open files from number `first` on, so that the one opened first is read
 * first. */
void argument_source_turn(struct argument_source *source, int first);

bool argument_source_can_open(const char *path);

#endif
