/* Archives of object files, as ar writes them: System V names with a table of long ones, BSD's
 * extended names, thin archives whose members are files of their own. */
#ifndef WARPLD_FORMAT_CONTAINER_ARCHIVE_H
#define WARPLD_FORMAT_CONTAINER_ARCHIVE_H

#include <stdbool.h>

#include "base/bytes.h"

/* No system opens a file by a longer path (PATH_MAX of Linux): a longer name is damage. */
enum { ARCHIVE_LONGEST_NAME = 4096 };

struct archive_member {
    struct bytes name;     /* without terminator; of a thin archive's member, its path */
    struct bytes contents; /* empty for a member that is a file of its own */
    bool is_external;      /* a thin archive's: the path starts at the archive's folder */
};

struct archive {
    struct bytes file;
    uint64_t position;
    struct bytes long_names;
    bool is_thin;
    bool is_past_symbols; /* which stand first */
    const char *problem;  /* what is wrong, in words; NULL while nothing is */
};

bool archive_recognise(struct bytes file);

void archive_open(struct archive *archive, struct bytes file);

/* The next member that is no table of the archive itself; false at the end, or with a problem. */
bool archive_next(struct archive *archive, struct archive_member *member);

#endif
