/* Copies the chunks of a section; see write.h. */
#include <string.h>

#include "link/model/output.h"
#include "link/write/write.h"
#include "link/write/write_parts.h"

void write_chunks(const struct output_section *section, size_t first, size_t end,
                  const struct file_window *window)
{
    for (size_t i = first; i < end; i++) {
        const struct chunk *chunk = &section->chunks[i];
        if (chunk->bytes && chunk->size)
            memcpy(window_byte(window, section, chunk->offset), chunk->bytes, chunk->size);
    }
}
