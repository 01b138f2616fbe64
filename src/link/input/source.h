/* An input that is being opened. Private to open_inputs.c, open_object.c and open_archive.c. */
#ifndef WARPLD_LINK_INPUT_SOURCE_H
#define WARPLD_LINK_INPUT_SOURCE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* A file, or a member of an archive. */
struct source {
    const char *name; /* path of the file or archive */
    struct bytes bytes;
    const struct input_file *file; /* NULL for archive members */
    bool is_member;
    struct bytes member;                  /* name of the member in the archive */
    const struct unusable_code *unusable; /* set by open_object, else NULL */
};

/* Returns the name for messages. It is formatted only when it is needed, because most members of
 * most archives have no device code. Without memory for more names, members have the name of their
 * archive. */
const char *source_full_name(link_context *link, const struct source *source);

/* Adds a unit to the link. The unit refers to `contents`, and is in the link's arena. */
struct input_unit *source_add_unit(link_context *link, const struct source *source,
                                   enum unit_kind kind, struct bytes contents);

/* Adds a broken unit, which ends the link with the message `problem`. Later inputs are not opened.
 * `reason` is kept. */
void source_add_broken(link_context *link, const struct source *source,
                       enum diagnostic_name problem, const char *reason);

/* Find the device code in a source and add it as units, or add a broken unit.
 *   open_object   any source except an archive. Without device code, a source adds nothing, unless
 *                 its name or its contents announce device code. Sets source->unusable if no link
 *                 can use the device code.
 *   open_archive  an archive. Opens all members. The members of an archive inside the archive are
 *                 linked at the position of the inner archive. */
void open_object(link_context *link, struct source *source);
void open_archive(link_context *link, const struct source *source);

#endif
