/* Overwrites a file in place, where it cannot be replaced by another file.
 *
 * The bytes of a file cannot all change at once. So the bytes that follow the old end of the file
 * are written first: if the disk is full, or a quota or a limit on file sizes is reached, the
 * system refuses these bytes. The old file then remains as it was. If a later write fails, the old
 * bytes are written back. If they cannot be written back, or could not be read before, the file is
 * left empty, because no reader takes an empty file for a whole one. Signals to this thread wait
 * until the file is whole. */
#ifndef WARPLD_BASE_FILE_OVERWRITE_H
#define WARPLD_BASE_FILE_OVERWRITE_H

#include <stdbool.h>

#include "base/bytes.h"

/* Opens the file. Returns -1 and sets errno on failure. */
int file_overwrite_open(const char *path);

/* Writes the contents over those of the open regular file, and closes it. If `is_durable`, waits
 * until they are on the disk. Returns 0 or an errno value. */
int file_overwrite(int descriptor, struct bytes contents, bool is_durable);

#endif
