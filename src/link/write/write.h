/* Functions that the files of the writer share: access to the bytes of a window, and functions that
 * fill a window.
 *
 * A large file is written in windows. Each thread fills a window and writes it before it takes the
 * next one, so that only a few windows are in memory. Code that asks for bytes of the file must
 * expect them to be in another window. */
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

/* Returns the section's bytes. Returns NULL if they are not in this window, or if the section has
 * no bytes in the file. Must not be called for a section that is only partly in the window. */
static inline uint8_t *window_section(const struct file_window *window,
                                      const struct output_section *section)
{
    return window_has(window, section) ? window->bytes + (section->offset - window->start) : NULL;
}

/* The byte at offset `offset` of the section. It must be in the window. */
static inline uint8_t *window_byte(const struct file_window *window,
                                   const struct output_section *section, uint64_t offset)
{
    return window->bytes + (section->offset + offset - window->start);
}

/* Copies the chunks of the section with the numbers from `first` up to, but not including,
 * `end`. */
void write_chunks(const struct output_section *section, size_t first, size_t end,
                  const struct file_window *window);

/* Returns the section in the view: the counterpart if the view is Mercury and the section has one,
 * otherwise the section itself. */
static inline const struct output_section *section_in_view(const struct output_section *section,
                                                           enum code_view view)
{
    return section && view == VIEW_MERCURY && output_counterpart(section)
               ? output_counterpart(section)
               : section;
}

/* A part of .symtab: the symbols from index `first` up to, but not including, `end`. The other
 * fields are indices in the lists of struct output, and say where the previous part ended. */
struct symbol_part {
    uint32_t first;
    uint32_t end;
    size_t next_local; /* in `locals` */
    size_t next_local_symbol;
    size_t next_global;
};

/* Writes a part of .symtab. The output must not have Mercury code. */
void write_symbol_part(const link_context *link, struct symbol_part *part, uint8_t *bytes);

/* Writes those bytes of both symbol tables and of .symtab_shndx that are in the window. */
void write_symbols(const link_context *link, const struct file_window *window);

/* Writes those bytes of the file header, section headers and program headers that are in the
 * window. */
void write_headers(const link_context *link, const struct file_window *window);

#endif
