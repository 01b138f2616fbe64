/* A thin archive among the saved inputs of a link. */
#ifndef WARPLD_CLI_SAVE_SAVED_ARCHIVE_H
#define WARPLD_CLI_SAVE_SAVED_ARCHIVE_H

#include "warpld.h"

/* Writes the archive of this index as one that holds its members, unless one of them is missing:
 * then it stays as it is, and the repeated link misses it, too. *start, 0 for the first archive,
 * is where the search for its members begins and then that for those of later archives. Returns 0
 * or an errno value. */
int saved_archive_write(const char *path, struct warpld_link *link, size_t archive, size_t *start);

#endif
