/* The words of the command line, with those of options files in their places. */
#ifndef WARPLD_CLI_OPTIONS_OPTIONS_FILE_H
#define WARPLD_CLI_OPTIONS_OPTIONS_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* The command line and 15 files, as in nvlink 13.0.88; each can name the next one twice, so that
 * the number read doubles with every level. */
enum { MOST_OPEN_FILES = 16 };

/* The words of a file that is being read. */
struct open_words {
    const char **words;
    size_t count;
    size_t next;
};

/* A file that was read, with what was in it. */
struct options_file {
    const char *path;
    struct bytes contents;
};

struct word_source {
    struct arena *arena;
    GROWING_ARRAY(struct options_file, files);
    struct open_words open[MOST_OPEN_FILES]; /* the last one is being read; the first is argv */
    int depth;
};

void word_source_init(struct word_source *source, struct arena *arena, int argc, char **argv);

/* The next word; NULL at the end. Lives as long as the arena or argv. */
const char *word_source_next(struct word_source *source);

/* The word behind the last one in the same file; NULL at its end: what a file ends with takes its
 * value from nowhere else. */
const char *word_source_value(struct word_source *source);

/* True when there is one, and it does not begin with a dash. */
bool word_source_has_value(const struct word_source *source);

/* Reads a file, whose words come next. NULL, or what is wrong with it.
 *
 * Words stand between blanks; double quotes group, a backslash takes the next character as it is,
 * but for quotes, which go all the same, single quotes are ordinary characters and there are no
 * comments, as in nvlink 13.0.88. */
const char *word_source_open(struct word_source *source, const char *path);

/* The files opened since there were `first` come in the order in which they were opened, and not
 * the last one first. */
void word_source_turn(struct word_source *source, int first);

bool word_source_can_open(const char *path);

#endif
