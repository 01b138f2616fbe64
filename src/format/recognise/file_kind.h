/* Recognises the kinds of files that cannot be linked. Messages name the kind, and such a file is
 * not reported as a damaged input. */
#ifndef WARPLD_FORMAT_RECOGNISE_FILE_KIND_H
#define WARPLD_FORMAT_RECOGNISE_FILE_KIND_H

#include <stdbool.h>

#include "base/bytes.h"

#define LTO_IR_MAGIC "\xed\x43\x4e\x7f"

bool file_kind_is_lto_ir(struct bytes file);

/* Returns the words that complete "it is ..." if the file has the magic bytes of another format,
 * otherwise NULL. */
const char *file_kind_by_magic(struct bytes file);

/* Returns the words that complete "it is ..." for any file. */
const char *file_kind(struct bytes file);

/* Whether the first page of the file has no control characters except line ends, tabs and form
 * feeds. Any encoding is accepted. */
bool file_kind_is_text(struct bytes file);

/* Whether a file that is no ELF has an object's type (ET_REL) where an ELF header has it. Whatever
 * its first bytes are, nvlink 13.0.88 takes such a file for an object and refuses it (40 files of 8
 * formats). It skips such members of archives. */
bool has_type_of_object(struct bytes file);

/* Finds a sign that a file of no known format once held device code. Returns words that name the
 * sign and complete "it has ...", or NULL if there is no sign or the file is text. */
const char *device_code_trace(struct bytes file);

#endif
