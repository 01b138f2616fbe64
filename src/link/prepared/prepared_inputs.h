/* Prepared inputs: large inputs whose images an earlier link has unpacked and checked; see
 * warpld_options.find_prepared. */
#ifndef WARPLD_LINK_PREPARED_PREPARED_INPUTS_H
#define WARPLD_LINK_PREPARED_PREPARED_INPUTS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Asks the caller of the library whether a part of a snapshot is unchanged. Several threads may
 * call this at the same time. */
bool prepared_is_unchanged(const link_context *link, struct bytes part);

/* Asks the caller of the library for the snapshot of a file that was read, and stores the snapshot
 * in file->snapshot. */
void prepared_input_find(link_context *link, struct input_file *file);

/* Sets input_unit.prepared of each unit whose image is in the file's snapshot. Reports nothing. The
 * units of the file must be known. */
void prepared_input_take(link_context *link, const struct input_file *file);

/* If the file has no snapshot, makes one and passes it to the caller of the library. The objects of
 * the link must be in the order of the units. *object is the index of the first object that may be
 * in this file; the function sets it to the index after the file's last object. */
void prepared_input_keep(link_context *link, const struct input_file *file, size_t *object);

#endif
