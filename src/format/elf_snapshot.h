/* Snapshots of opened views. A snapshot is a sequence of bytes that contains all that elf_view_open
 * found in a device ELF, and the contents of the sections. If the snapshot is stored, a later link
 * need not check the device ELF again.
 *
 *      +--------+----------------+----------+--------------------------+----------+     +------+
 *      | header | early sections | sections | section table (optional) | contents |     | code |
 *      +--------+----------------+----------+--------------------------+----------+     +------+
 *
 * A snapshot has two parts. The second part is the native code, which is most of the bytes. It is
 * separate, because a link reads only the code of the functions that it keeps. Mercury code is in
 * the contents of the first part, because a link reads the headers of Mercury code early. Offsets
 * count from the start of the first part, as if the second part followed it directly.
 *
 * elf_snapshot_open does not repeat the checks of elf_view_open, so it does not detect most damage.
 * Callers that store a snapshot must also store a digest of it, and compare the digest before they
 * open the snapshot. */
#ifndef WARPLD_FORMAT_ELF_SNAPSHOT_H
#define WARPLD_FORMAT_ELF_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"

/* The version of the snapshot format. Increase it after each change of the format, of a rule in
 * elf_rules.def, or of the results of elf_view_open. */
enum { ELF_SNAPSHOT_FORM = 3 };

/* Sizes of the two parts of a snapshot in bytes; multiples of 8. */
struct elf_snapshot_size {
    uint64_t facts; /* size of the first part */
    uint64_t code;  /* size of the second part */
};

/* Returns true if the section's contents are in the second part of the snapshot. */
static inline bool elf_snapshot_is_code(const struct elf_section *section)
{
    return section->view == VIEW_NATIVE && elf_section_is_code(section);
}

/* Returns the sizes of the snapshot of a view. Requires: elf_view_settle was not called. */
struct elf_snapshot_size elf_snapshot_size(const struct elf_view *view);

/* Writes the two parts of a snapshot to `facts` and `code`. Requires: both contain only zeros and
 * have the sizes that elf_snapshot_size returns, and elf_view_settle was not called. */
void elf_snapshot_write(const struct elf_view *view, uint8_t *facts, uint8_t *code);

/* Opens a snapshot. The view has the same state as after elf_view_settle. Names and contents are
 * not copied, so the two parts must outlive the view. They must be aligned to 8 bytes. The function
 * does not read the code. Returns false if an offset or index in the snapshot is outside its
 * range. */
bool elf_snapshot_open(struct elf_view *view, struct bytes facts, struct bytes code,
                       struct arena *arena);

#endif
