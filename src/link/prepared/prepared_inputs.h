/* Large inputs that an earlier link opened, and whose images it unpacked and checked; see
 * warpld_options.find_prepared. */
#ifndef WARPLD_LINK_PREPARED_PREPARED_INPUTS_H
#define WARPLD_LINK_PREPARED_PREPARED_INPUTS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Asks the caller whether a part of a snapshot is unchanged. May be called by several threads at
 * once. */
bool prepared_is_unchanged(const link_context *link, struct bytes part);

/* Asks the caller for the snapshot of a file that was read, and stores it in file->snapshot. */
void prepared_input_find(link_context *link, struct input_file *file);

/* Requires: the units of the file. Sets input_unit.prepared of each unit whose image is in the
 * file's snapshot. Reports nothing. */
void prepared_input_take(link_context *link, const struct input_file *file);

/* Requires: the objects of the link, in the order of the units; *object is the first that may be of
 * this file, and is moved past the file's last object. If the file has no snapshot, makes one and
 * passes it to the caller. */
void prepared_input_keep(link_context *link, const struct input_file *file, size_t *object);

#endif
