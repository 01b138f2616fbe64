/* The order of the entries that patch jump tables. */
#ifndef WARPLD_LINK_WRITE_JUMP_TABLE_ORDER_H
#define WARPLD_LINK_WRITE_JUMP_TABLE_ORDER_H

#include <stdint.h>

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* An entry of a section of relocations. */
struct jump_table_entry {
    uint64_t offset;
    uint64_t table; /* number of tables that start at or before the offset */
    uint32_t index; /* of the entry in its section */
};

/* Returns all entries of the relocations of a block with jump tables, in the order in which they
 * are applied. The result is in the link's arena. On the first call for an object, sets
 * object->tables. */
const struct jump_table_entry *jump_table_order(link_context *link, struct input_object *object,
                                                const struct elf_section *relocations);

#endif
