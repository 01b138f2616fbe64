/* Writes large sections to a file part by part, so that they are never in memory as a whole.
 *
 * Part of pass_write_output. One thread writes a section in parts while other threads write other
 * sections. */
#ifndef WARPLD_LINK_WRITE_WRITE_PARTS_H
#define WARPLD_LINK_WRITE_WRITE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_sink.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* A thread's buffer and destination. */
struct part_writer {
    link_context *link;
    struct file_sink *sink;
    uint8_t *memory; /* the buffer, from malloc; NULL at first */
    size_t capacity; /* usable bytes of the buffer, for any file offset */
};

/* Returns `size` zeroed bytes of the buffer, aligned for a write to that file offset. If memory is
 * exhausted, records the failure in the sink and returns NULL. The caller must then skip the part.
 */
uint8_t *part_buffer(struct part_writer *writer, uint64_t offset, uint64_t size);

/* write_in_parts writes a section if is_written_in_parts is true for it. Requires: the output has
 * no Mercury code, and the option force_addends is not set. */
bool is_written_in_parts(const struct output_section *section);
void write_in_parts(struct part_writer *writer, struct output_section *section);

/* Writes a section that consists only of chunks, one after another. Large chunks are written from
 * their own memory. Small ones are first copied together, because one call for each would take
 * longer than the copy. */
void put_straight(struct part_writer *writer, const struct output_section *section);

/* Writes the strings of .strtab or .shstrtab in one piece. */
void write_strings(const struct output *output, struct output_section *section, uint8_t *out);

#endif
