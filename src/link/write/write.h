/* What the files of the writer share: access to the bytes of a window, and the functions that fill
 * it.
 *
 * A large file is written in windows. One thread fills a window and writes it before it takes the
 * next, so that only a few windows are in memory. Code that asks for bytes of the file must expect
 * them to be in another window. */
#ifndef WARPLD_LINK_WRITE_WRITE_H
#define WARPLD_LINK_WRITE_WRITE_H

#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Whether the window contains the section's bytes. */
static inline bool window_has(const struct file_window *window,
                              const struct output_section *section)
{
    return section->index >= window->first_section && section->index < window->end_section &&
           section->content != CONTENT_NONE;
}

/* The section's bytes; NULL if they are not in this window, or if the section has none in the file.
 * Must not be called for a section that is only partly in the window. */
static inline uint8_t *window_section(const struct file_window *window,
                                      const struct output_section *section)
{
    return window_has(window, section) ? window->bytes + (section->offset - window->start) : NULL;
}

/* The byte at the offset of a section that is in the window at least in part. */
static inline uint8_t *window_byte(const struct file_window *window,
                                   const struct output_section *section, uint64_t offset)
{
    return window->bytes + (section->offset + offset - window->start);
}

/* Copies the chunks of the section from number `first` up to, but without, `end`. */
void write_chunks(const struct output_section *section, size_t first, size_t end,
                  const struct file_window *window);

/* The counterpart of the section in the Mercury view, if there is one; else the section. */
static inline const struct output_section *section_in_view(const struct output_section *section,
                                                           enum code_view view)
{
    return section && view == VIEW_MERCURY && output_counterpart(section)
               ? output_counterpart(section)
               : section;
}

/* A range of .symtab by index. The next_ members continue from the previous part. */
struct symbol_part {
    uint32_t first;
    uint32_t end;
    size_t next_local; /* in the output's lists */
    size_t next_local_symbol;
    size_t next_global;
};

/* Requires: an output without Mercury code. */
void write_symbol_part(const link_context *link, struct symbol_part *part, uint8_t *bytes);

/* Both symbol tables and .symtab_shndx, as far as they are in the window. */
void write_symbols(const link_context *link, const struct file_window *window);

/* The file header, section headers and program headers, as far as they are in the window. */
void write_headers(const link_context *link, const struct file_window *window);

#endif
