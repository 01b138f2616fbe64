/* Snapshots: an opened view as bytes that can be stored, so that a later link need not check the
 * device ELF again. A snapshot holds what was found when the file was opened, and the contents of
 * its sections.
 *
 *      +--------+----------------+----------+--------------------------+----------+     +------+
 *      | header | early sections | sections | section table (optional) | contents |     | code |
 *      +--------+----------------+----------+--------------------------+----------+     +------+
 *
 * Native code is most of the bytes. It is the second, separate part, because a link reads only the
 * code of the functions that it keeps. Mercury code is among the contents of the first part,
 * because its header is read early. Offsets count from the beginning of the first part, as if the
 * code followed it.
 *
 * Readers trust a snapshot as they trust a checked file, so whoever stores it must guard it with a
 * digest. */
#ifndef WARPLD_FORMAT_ELF_SNAPSHOT_H
#define WARPLD_FORMAT_ELF_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"

/* The version of the snapshot format. Increase it when the format, a rule or anything that
 * elf_view_open finds changes. */
enum { ELF_SNAPSHOT_FORM = 3 };

/* Sizes of the two parts; multiples of 8. */
struct elf_snapshot_size {
    uint64_t facts; /* of the first part */
    uint64_t code;  /* of the second part */
};

/* Whether the section's contents are in the second part. */
static inline bool elf_snapshot_is_code(const struct elf_section *section)
{
    return section->view == VIEW_NATIVE && elf_section_is_code(section);
}

/* The sizes of the snapshot of an opened view, before elf_view_settle. */
struct elf_snapshot_size elf_snapshot_size(const struct elf_view *view);

/* Writes the snapshot to zeroed memory of these sizes. */
void elf_snapshot_write(const struct elf_view *view, uint8_t *facts, uint8_t *code);

/* Opens a snapshot as a view that has settled (elf_view_settle). Names and contents remain in the
 * two parts of the snapshot, which must be aligned to 8 bytes and must outlive the view. The
 * function does not read the code. Returns false if the snapshot refers to something outside it. */
bool elf_snapshot_open(struct elf_view *view, struct bytes facts, struct bytes code,
                       struct arena *arena);

#endif
