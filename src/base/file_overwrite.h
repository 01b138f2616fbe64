/* Overwrites a file in place, where it cannot be replaced by another one.
 *
 * A file in place cannot change all at once. So the bytes after the old end are written first: they
 * are what a full disk, a quota or a limit on file sizes refuses. A failure there leaves the old
 * file as it was. Signals to this thread wait until the file is whole. If a later write fails, the
 * old bytes are written back. If this fails, too, or if the old bytes could not be read, the file
 * is left empty, which no reader takes for a whole one. */
#ifndef WARPLD_BASE_FILE_OVERWRITE_H
#define WARPLD_BASE_FILE_OVERWRITE_H

#include <stdbool.h>

#include "base/bytes.h"

/* Opens the file; -1 with errno if that is not possible. */
int file_overwrite_open(const char *path);

/* Writes the contents over those of the open regular file, and closes it. If `is_durable`, waits
 * until they are on the disk. Returns 0 or an errno value. */
int file_overwrite(int descriptor, struct bytes contents, bool is_durable);

#endif
