/* Recognises the kinds of files that cannot be linked. Messages about such a file name its kind,
 * instead of calling the file a damaged input. */
#ifndef WARPLD_FORMAT_RECOGNISE_FILE_KIND_H
#define WARPLD_FORMAT_RECOGNISE_FILE_KIND_H

#include <stdbool.h>

#include "base/bytes.h"

#define LTO_IR_MAGIC "\xed\x43\x4e\x7f"

bool file_kind_is_lto_ir(struct bytes file);

/* Returns the kind of the file, as words that follow "it is" in a message, if its first bytes are
 * in file_kinds.def. Returns NULL for other files. */
const char *file_kind_by_magic(struct bytes file);

/* Returns the kind of any file, as words that follow "it is" in a message. */
const char *file_kind(struct bytes file);

/* Returns true if the first 4,096 bytes of the file contain no control characters except line ends,
 * tabs and form feeds. The text may have any encoding. */
bool file_kind_is_text(struct bytes file);

/* Returns true if the file is not an ELF file, but has ET_REL at the offset of e_type.
 * nvlink 13.0.88 treats such a file as an object and refuses it, whatever its first bytes are (40
 * files of 8 formats). In archives, nvlink skips such members. */
bool has_type_of_object(struct bytes file);

/* Finds a sign of device code in a file of unknown format. Returns the sign, as words that follow
 * "it has" in a message. Returns NULL if there is no sign or if the file is text. */
const char *device_code_trace(struct bytes file);

#endif
