/* The file and the archive member in the name of an input. */
#ifndef WARPLD_CLI_REPORT_INPUT_NAME_H
#define WARPLD_CLI_REPORT_INPUT_NAME_H

#include "base/arena.h"

struct input_name {
    const char *file;
    const char *member; /* of an archive, or NULL */
};

/* Splits "libx.a:member.o". File names can have colons, too. So the function tries the whole name,
 * then the part before each colon, the longest first. The first that names an existing file is the
 * file; if none does, the whole name is. */
struct input_name input_name_split(struct arena *arena, const char *name);

/* The file as a URI: a relative reference, or "file://..." for an absolute path. */
const char *input_name_uri(struct arena *arena, const char *file);

#endif
