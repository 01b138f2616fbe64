/* Splits the name of an input into a file and an archive member. */
#ifndef WARPLD_CLI_REPORT_INPUT_NAME_H
#define WARPLD_CLI_REPORT_INPUT_NAME_H

#include "base/arena.h"

struct input_name {
    const char *file;
    const char *member; /* a member of the archive `file`; NULL: the input is the file itself */
};

/* Splits a name such as "libx.a:member.o". File names can have colons, too. So the function tries
 * the whole name as a file, then the part before each of the first 64 colons, the longest part
 * first. The first one that exists is the file. If none exists, the whole name is the file. */
struct input_name input_name_split(struct arena *arena, const char *name);

/* Returns the URI of a file: "file://..." for an absolute path, else a relative reference. */
const char *input_name_uri(struct arena *arena, const char *file);

#endif
