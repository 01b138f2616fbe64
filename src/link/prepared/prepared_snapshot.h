/* Snapshots: what a link found in a large input, as bytes. A later link with the snapshot need not
 * open the input, or unpack and check its images.
 *
 *      +------+-------+-----+--------------+-----+-------+-----------------+-----+------+-----+
 *      | head | units | ... | host objects | ... | texts | facts of images | ... | code | ... |
 *      +------+-------+-----+--------------+-----+-------+-----------------+-----+------+-----+
 *                 |                                      ^ elf_snapshot.h        ^
 *                 +--------------------------------------+-----------------------+
 *
 * Each unit and each host object of the input has an entry. The contents of units and the device
 * code of host objects are not copied: the entries hold their ranges in the input. Module ids and
 * host references are copied to the texts, because they are scattered over the input. A link reads
 * all parts before the code, but only some of the code. The parts before the code can be checked
 * for damage without reading the code. */
#ifndef WARPLD_LINK_PREPARED_PREPARED_SNAPSHOT_H
#define WARPLD_LINK_PREPARED_PREPARED_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/container/host_object.h"
#include "format/elf_view.h"
#include "link/model/input_file.h"

/* The version of the snapshot format. It must be raised if the layout changes, or if warpld changes
 * so that it makes a different snapshot of the same input. */
enum { PREPARED_SNAPSHOT_FORM = 2 };

/* A unit of the input, and the image that the link took from it. */
struct prepared_unit {
    struct bytes contents; /* contents of the unit, a range of the input */
    struct bytes name;     /* the unit's name, without the input's name at its beginning */
    enum unit_kind kind;
    bool is_member;
    uint32_t host;         /* index + 1 of the unit's host object; 0: none */
    uint32_t hosts_before; /* as in struct input_unit, but counted within this input */
    uint16_t virtual_sm;   /* virtual SM of the image, as in struct input_object */
    uint16_t toolkit;
    const struct elf_view *view; /* view of the image, only to make a snapshot; NULL: no image */
    struct bytes facts; /* part of the snapshot with the facts about the image; empty: no image */
    struct bytes code;  /* part of the snapshot with the image's code */
};

struct prepared_input {
    struct bytes bytes; /* bytes of the input */
    struct opened_file opened;
    /* The units and the host objects. These lists are set only to make a snapshot. */
    struct prepared_unit *units;
    const struct host_object **hosts;
    uint32_t units_count;
    uint32_t hosts_count;
};

/* Makes the snapshot, in memory from malloc. Returns no bytes if memory runs out or if the snapshot
 * would be larger than a gigabyte. The contents of units, and the device code of host objects, must
 * be inside the input. */
struct bytes prepared_snapshot_make(const struct prepared_input *input);

/* prepared_snapshot_head returns the head. prepared_snapshot_facts returns the head and everything
 * else that precedes the code. Both return no bytes if the snapshot is too short. */
struct bytes prepared_snapshot_head(struct bytes snapshot);
struct bytes prepared_snapshot_facts(struct bytes snapshot);

/* Reads the head of a snapshot into `input`. input->bytes must be set. Does not fill the lists of
 * units and host objects. Returns false if the bytes are not a complete snapshot. */
bool prepared_snapshot_open(struct bytes snapshot, struct prepared_input *input);

/* These functions read the entry number `index` of the units or of the host objects. `index` must
 * be less than the number of entries. They return false if the entry refers to bytes outside the
 * snapshot or the input. */
bool prepared_snapshot_unit(struct bytes snapshot, const struct prepared_input *input,
                            uint32_t index, struct prepared_unit *unit);
bool prepared_snapshot_host(struct bytes snapshot, const struct prepared_input *input,
                            uint32_t index, struct host_object *host);

#endif
