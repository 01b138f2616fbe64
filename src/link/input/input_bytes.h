/* Reads input files and finds the device code in them. */
#ifndef WARPLD_LINK_INPUT_INPUT_BYTES_H
#define WARPLD_LINK_INPUT_INPUT_BYTES_H

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Finds the device code in a file and adds it to the link as units. If the file could not be read,
 * or is too short or damaged, adds a broken unit, which ends the link. */
void open_file(link_context *link, struct input_file *file);

/* Opens a cubin. Returns NULL, without a report, if the contents are not a valid cubin. */
struct elf_view *open_cubin(struct bytes contents, struct arena *arena);

/* These functions read a file and set file->bytes, or file->missing if the file cannot be read.
 * input_file_load returns when the file is read. input_file_read may return earlier: if the file is
 * small and not in the page cache, and the system can say so, it sets *waiting to a descriptor,
 * which the caller must pass to input_file_wait to finish the reading. Otherwise it sets *waiting
 * to -1. `buffer` has FILE_SMALL bytes and receives the contents of a small file. */
void input_file_load(struct input_file *file, const link_context *link, struct arena *arena);
void input_file_read(struct input_file *file, const link_context *link, uint8_t *buffer,
                     struct arena *arena, int *waiting);
void input_file_wait(struct input_file *file, const link_context *link, uint8_t *buffer,
                     struct arena *arena, int waiting);

#endif
