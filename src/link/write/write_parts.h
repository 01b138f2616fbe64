/* Large sections that go to a file part by part, so that they are never in memory as a whole.
 *
 * Part of write. Whoever writes a section in parts is alone with it, but not with others. */
#ifndef WARPLD_LINK_WRITE_WRITE_PARTS_H
#define WARPLD_LINK_WRITE_WRITE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/model/link_context.h"
#include "link/model/output.h"

/* What a thread writes with. */
struct part_writer {
    link_context *link;
    struct file_sink *sink;
    uint8_t *memory; /* of its buffer, from malloc; NULL at first */
    size_t capacity; /* bytes that the buffer has room for, wherever in the file they go */
};

/* Zeroed bytes in the buffer for that place in the file. NULL when there is no memory, which the
 * sink then knows: that part is not made. */
uint8_t *part_buffer(struct part_writer *writer, uint64_t offset, uint64_t size);

/* Of outputs without Mercury code whose relocations are not forced to have addends. */
bool goes_in_parts(const struct output_section *section);
void write_in_parts(struct part_writer *writer, struct output_section *section);

/* Nothing but its chunks, in order, writes to the section: large ones go to the file from where
 * they are, small ones together, as a call for each would take longer than to copy it. */
void put_straight(struct part_writer *writer, const struct output_section *section);

/* The same for strings in one: those of .strtab or .shstrtab. */
void write_strings(const struct output *output, struct output_section *section, uint8_t *place);

#endif
