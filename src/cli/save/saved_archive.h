/* Saves a thin archive as a normal archive. */
#ifndef WARPLD_CLI_SAVE_SAVED_ARCHIVE_H
#define WARPLD_CLI_SAVE_SAVED_ARCHIVE_H

#include "warpld.h"

/* Writes a normal archive with the members of a thin archive to the file at `path`. `archive` is
 * the index of the thin archive among the files that the link has read. If a member is missing, the
 * file is left unchanged, so that the member is also missing when the link is repeated. Returns 0
 * or an errno value.
 *
 * The search for members begins at the index *start, which must be 0 for the first archive. The
 * function advances *start, so that the search for the next archive skips earlier files. */
int saved_archive_write(const char *path, struct warpld_link *link, size_t archive, size_t *start);

#endif
