/* The parts of write: bytes of a range of the file.
 *
 * A large file is made in windows, each by one thread and handed out before the next, so that no
 * more than a few of them are in memory. What asks for a place in the file must be ready to hear
 * that it is in another window. */
#ifndef WARPLD_LINK_WRITE_WRITE_H
#define WARPLD_LINK_WRITE_WRITE_H

#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Whether bytes of the section are in this window. */
static inline bool window_has(const struct file_window *window,
                              const struct output_section *section)
{
    return section->index >= window->first_section && section->index < window->end_section &&
           section->content != CONTENT_NONE;
}

/* Where the section's bytes are, NULL when they are not in this window or the section has none. Not
 * of a section of which there is only a part. */
static inline uint8_t *window_place(const struct file_window *window,
                                    const struct output_section *section)
{
    return window_has(window, section) ? window->bytes + (section->offset - window->start) : NULL;
}

/* Of a section that is in the window, or of which a part is: the byte at that offset. */
static inline uint8_t *window_byte(const struct file_window *window,
                                   const struct output_section *section, uint64_t offset)
{
    return window->bytes + (section->offset + offset - window->start);
}

/* Copies those chunks of the section from first up to end. */
void write_chunks(const struct output_section *section, size_t first, size_t end,
                  const struct file_window *window);

/* The form of a section that is in that view's tables, where it has one. */
static inline const struct output_section *section_in_view(const struct output_section *section,
                                                           enum code_view view)
{
    return section && view == VIEW_MERCURY && output_counterpart(section)
               ? output_counterpart(section)
               : section;
}

/* Symbols of .symtab by index. What was next after the part before it is next here. */
struct symbol_part {
    uint32_t first;
    uint32_t end;
    size_t next_local; /* in the output's lists */
    size_t next_local_symbol;
    size_t next_global;
};

/* Of an output without Mercury code. */
void write_symbol_part(const link_context *link, struct symbol_part *part, uint8_t *bytes);

/* Both symbol tables and .symtab_shndx, as far as they are in the window. */
void write_symbols(const link_context *link, const struct file_window *window);

/* The file header, section headers and program headers, as far as they are in the window. */
void write_headers(const link_context *link, const struct file_window *window);

#endif
