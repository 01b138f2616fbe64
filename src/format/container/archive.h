/* Reads archives of object files, as ar writes them. Names can have the form of System V, with a
 * table of long names, or be BSD's extended names. Members of thin archives are separate files. */
#ifndef WARPLD_FORMAT_CONTAINER_ARCHIVE_H
#define WARPLD_FORMAT_CONTAINER_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* PATH_MAX of Linux. No file can be opened by a longer path, so an archive in which a member has a
 * longer name is damaged. */
enum { ARCHIVE_LONGEST_NAME = 4096 };

struct archive_member {
    struct bytes name;     /* name without terminator; for a member of a thin archive, its path */
    struct bytes contents; /* empty if the member is a separate file */
    bool is_external; /* member of a thin archive: its path is relative to the archive's folder */
};

struct archive {
    struct bytes file;
    uint64_t position;
    struct bytes long_names;
    bool is_thin;
    bool is_past_symbols; /* the symbol tables, which come first, have been read */
    const char *problem;  /* text that says what is wrong, or NULL */
};

bool archive_recognise(struct bytes file);

/* Returns the offset at which the members of an archive end, if its first bytes show it. That is
 * the first offset at which a header is expected but is not valid. Returns UINT64_MAX if all
 * headers in these bytes are valid. */
uint64_t archive_extent(struct bytes start);

void archive_open(struct archive *archive, struct bytes file);

/* Reads the next member, skipping the archive's tables. Returns false at the end, or if there is a
 * problem. */
bool archive_next(struct archive *archive, struct archive_member *member);

#endif
