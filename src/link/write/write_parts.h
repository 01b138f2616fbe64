/* Large sections, which are written to a file part by part so that they are never in memory as a
 * whole.
 *
 * Part of write. One thread writes a section in parts while other threads write other sections. */
#ifndef WARPLD_LINK_WRITE_WRITE_PARTS_H
#define WARPLD_LINK_WRITE_WRITE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/model/link_context.h"
#include "link/model/output.h"

/* A thread's buffer and destination. */
struct part_writer {
    link_context *link;
    struct file_sink *sink;
    uint8_t *memory; /* the buffer, from malloc; NULL at first */
    size_t capacity; /* usable bytes of the buffer, at any file offset */
};

/* Returns zeroed bytes in the buffer for that file offset. NULL when memory is exhausted, which the
 * sink then records; the caller skips the part. */
uint8_t *part_buffer(struct part_writer *writer, uint64_t offset, uint64_t size);

/* Requires: an output without Mercury code whose relocations are not forced to have addends. */
bool is_written_in_parts(const struct output_section *section);
void write_in_parts(struct part_writer *writer, struct output_section *section);

/* Writes a section that consists of chunks in order only. Large chunks are written to the file from
 * their own memory, small ones are copied together first, because a call for each would take longer
 * than the copy. */
void put_straight(struct part_writer *writer, const struct output_section *section);

/* Writes the strings of .strtab or .shstrtab at once. */
void write_strings(const struct output *output, struct output_section *section, uint8_t *out);

#endif
