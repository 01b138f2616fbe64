/* A snapshot: what a link found in a large input, as bytes. A later link uses it instead of opening
 * the input and unpacking and checking its images again.
 *
 *      +------+-------+-----+--------------+-----+-------+-----------------+-----+------+-----+
 *      | head | units | ... | host objects | ... | texts | facts of images | ... | code | ... |
 *      +------+-------+-----+--------------+-----+-------+-----------------+-----+------+-----+
 *                 |                                      ^ elf_snapshot.h        ^
 *                 +--------------------------------------+-----------------------+
 *
 * There is an entry for each unit of the input, in their order. Contents of units and device code
 * of host objects are ranges of the input. Module ids and host references are copied, because they
 * are scattered over the input. All that every link reads is before the code, so that it can be
 * checked for damage without the code. */
#ifndef WARPLD_LINK_PREPARED_PREPARED_SNAPSHOT_H
#define WARPLD_LINK_PREPARED_PREPARED_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/container/host_object.h"
#include "format/elf_view.h"
#include "link/model/input_file.h"

/* The version of the snapshot format. Raise it when the layout changes, or when a link finds
 * something else in the same input. */
enum { PREPARED_SNAPSHOT_FORM = 2 };

/* A unit of the input, and the image of it that is linked. */
struct prepared_unit {
    struct bytes contents; /* in the input */
    struct bytes name;     /* without the name of the input that it begins with */
    enum unit_kind kind;
    bool is_member;
    uint32_t host;         /* index + 1 of its host object; 0: none */
    uint32_t hosts_before; /* in this input */
    uint16_t virtual_sm;   /* of the image, see struct input_object */
    uint16_t toolkit;
    const struct elf_view *view; /* to make the snapshot; NULL: no image */
    struct bytes facts;          /* of the image, in the snapshot; no bytes: no image */
    struct bytes code;           /* the same */
};

struct prepared_input {
    struct bytes bytes; /* of the input */
    struct opened_file opened;
    struct prepared_unit *units; /* to make the snapshot */
    const struct host_object **hosts;
    uint32_t units_count;
    uint32_t hosts_count;
};

/* Makes the snapshot in memory from malloc. Returns no bytes if there is no memory or if the
 * snapshot would be larger than a gigabyte. Requires: the contents of units and the device code of
 * host objects are inside the input. */
struct bytes prepared_snapshot_make(const struct prepared_input *input);

/* The head; and all bytes before the code, the head among them. Return no bytes if the snapshot is
 * shorter than that. */
struct bytes prepared_snapshot_head(struct bytes snapshot);
struct bytes prepared_snapshot_facts(struct bytes snapshot);

/* Reads the head of the snapshot of an input whose bytes are set; the lists remain empty. Returns
 * false if the bytes are no whole snapshot. */
bool prepared_snapshot_open(struct bytes snapshot, struct prepared_input *input);

/* Read an entry, by an index below the count. Return false if it refers to bytes outside the
 * snapshot or the input. */
bool prepared_snapshot_unit(struct bytes snapshot, const struct prepared_input *input,
                            uint32_t index, struct prepared_unit *unit);
bool prepared_snapshot_host(struct bytes snapshot, const struct prepared_input *input,
                            uint32_t index, struct host_object *host);

#endif
