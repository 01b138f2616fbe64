/* A thin archive among the saved inputs of a link. */
#ifndef WARPLD_CLI_SAVE_SAVED_ARCHIVE_H
#define WARPLD_CLI_SAVE_SAVED_ARCHIVE_H

#include "warpld.h"

/* Writes the thin archive with the index `archive` (among the files that the link has read) as a
 * normal archive, which contains its members. If a member is missing, the file at `path` is left
 * unchanged, so that the repeated link misses the member, too. Returns 0 or an errno value.
 *
 * The search for members begins at the index *start, which is 0 for the first archive. The function
 * advances it, so that the search for a later archive skips the earlier files. */
int saved_archive_write(const char *path, struct warpld_link *link, size_t archive, size_t *start);

#endif
