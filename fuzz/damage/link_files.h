/* Links an input of the fuzz target fuzz_link, which is a concatenation of files. */
#ifndef WARPLD_FUZZ_DAMAGE_LINK_FILES_H
#define WARPLD_FUZZ_DAMAGE_LINK_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "warpld.h"

/* The largest number of files, and the offsets in the first file of the bytes for options. */
enum { FILE_LIMIT = 4, OPTIONS_BYTE = 9, MORE_OPTIONS_BYTE = 10 };
enum {
    OPTION_DEBUG = 1,
    OPTION_KERNELS = 4,
    OPTION_MERGE_CONSTANTS = 32,
    OPTION_REMOVE_CONSTANTS = 64,
    OPTION_RELOCATABLE = 1, /* of the second byte */
};

struct files {
    uint8_t *bytes[FILE_LIMIT]; /* of exactly the file's size, for AddressSanitizer */
    size_t sizes[FILE_LIMIT];
    size_t count;
};

/* Adds a copy of a file. There must be fewer than FILE_LIMIT files. */
void add_file(struct files *files, const uint8_t *data, size_t size);

/* Splits the input before each magic number of an ELF file or of an index file of unified tables,
 * and copies the parts. */
void cut_into_files(struct files *files, const uint8_t *data, size_t size);
void free_files(struct files *files);

/* Links the files; an index file is not an input but the unified index of the link. The header of
 * the first file chooses the target, and unused bytes of that header choose the options. Counts
 * messages by severity in `diagnostics`. Aborts if a message or a trace line is not one line. The
 * caller destroys the link. */
struct warpld_link *run_link(const struct files *files, enum warpld_status *status,
                             unsigned diagnostics[WARPLD_FATAL + 1]);

#endif
