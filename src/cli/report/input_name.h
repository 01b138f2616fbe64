/* The file and the archive member in the name of an input. */
#ifndef WARPLD_CLI_REPORT_INPUT_NAME_H
#define WARPLD_CLI_REPORT_INPUT_NAME_H

#include "base/arena.h"

struct input_name {
    const char *file;
    const char *member; /* of an archive, or NULL */
};

/* Splits "libx.a:member.o". File names can have colons, too. So the file is the longest part, up to
 * a colon or the end, that names an existing file; the whole name if no part does. */
struct input_name input_name_split(struct arena *arena, const char *name);

/* The file as a URI: a relative reference, or "file://..." for an absolute path. */
const char *input_name_uri(struct arena *arena, const char *file);

#endif
