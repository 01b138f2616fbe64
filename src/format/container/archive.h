/* Reads archives of object files, as ar writes them. Long names can be stored in the System V form,
 * in a separate table, or in the BSD form, at the start of the member's contents. The members of a
 * thin archive are separate files. */
#ifndef WARPLD_FORMAT_CONTAINER_ARCHIVE_H
#define WARPLD_FORMAT_CONTAINER_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* PATH_MAX of Linux. An archive with a longer name is damaged, because no file can be opened by a
 * longer path. */
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
    bool is_past_symbols; /* a member or the table of long names was read: no symbol table may
                             follow */
    const char *problem;  /* text that says what is wrong, or NULL */
};

bool archive_recognise(struct bytes file);

/* Returns the offset of the end of the archive whose first bytes are `start`. The archive ends at
 * the first offset that must have a member's header, but has none. Returns UINT64_MAX if `start` is
 * too short to contain the end. */
uint64_t archive_extent(struct bytes start);

void archive_open(struct archive *archive, struct bytes file);

/* Reads the next member and skips the archive's tables. Returns false at the end, or if the archive
 * is damaged. In the second case, archive->problem says what is wrong. */
bool archive_next(struct archive *archive, struct archive_member *member);

#endif
