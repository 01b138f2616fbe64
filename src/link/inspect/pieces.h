/* The pieces of the output file, one after the other, for the public interface.
 *
 *      header | section | padding | section | ... | section headers | program headers
 *                 |
 *                 +-- input | gap | input | ...         parts, if there are several
 *                       |
 *                       +-- symbol, symbol              what they hold
 *
 * Only the pieces of some sections are in memory at a time, because a link of many objects has
 * hundreds of thousands of pieces. */
#ifndef WARPLD_LINK_INSPECT_PIECES_H
#define WARPLD_LINK_INSPECT_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct chunk;
struct shared_variable;
struct symbol;

/* A variable in the shared memory of a section. */
struct placed_shared {
    uint32_t section; /* index of the output section */
    uint64_t address;
    const struct shared_variable *variable;
};

/* A symbol with its value and size in the output. */
struct placed_symbol {
    const struct symbol *symbol;
    uint64_t value;
    uint64_t bytes;
};

/* The state of a walk over the pieces. If all fields are 0, it has not begun. */
struct piece_walk {
    bool has_lists;
    uint32_t *first_symbol; /* for each section: index of its first symbol in `symbols`; one more
                             * element for the end */
    struct placed_symbol *symbols;               /* sorted by section, then by value */
    GROWING_ARRAY(struct placed_shared, shared); /* sorted by section, then by address */

    bool has_begun;
    size_t next;          /* number of the piece after the last one in `pieces` */
    uint32_t section;     /* index of the next section to visit, in the order of the file */
    uint32_t next_shared; /* index of the first element of `shared` that was not visited */
    bool is_at_end;
    uint64_t position; /* offset in the file after the pieces visited so far */
    GROWING_ARRAY(struct warpld_piece, pieces); /* the pieces of the sections visited last */
    /* The chunks of the section that was visited last, by offset. */
    GROWING_ARRAY(const struct chunk *, chunks);
};

/* Returns the piece with number `index` if it is in memory, else NULL. */
static inline const struct warpld_piece *known_piece(const struct piece_walk *walk, size_t index)
{
    size_t first = walk->next - walk->pieces_count;
    return index >= first && index < walk->next ? &walk->pieces[index - first] : NULL;
}

/* Returns the piece with number `index`; NULL if the index is out of range. Requires: the link has
 * reached the stage READY. */
const struct warpld_piece *find_piece(link_context *link, struct piece_walk *walk, size_t index);

#endif
