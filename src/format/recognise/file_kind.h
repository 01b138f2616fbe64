/* The kinds of files that cannot be linked: for messages, and so that such a file is not taken for
 * a damaged input. */
#ifndef WARPLD_FORMAT_RECOGNISE_FILE_KIND_H
#define WARPLD_FORMAT_RECOGNISE_FILE_KIND_H

#include <stdbool.h>

#include "base/bytes.h"

#define LTO_IR_MAGIC "\xed\x43\x4e\x7f"

bool file_kind_is_lto_ir(struct bytes file);

/* Completes "it is ...", by the magic bytes of another format; NULL if it has none. */
const char *file_kind_by_magic(struct bytes file);

/* Completes "it is ..." for any file. */
const char *file_kind(struct bytes file);

/* Whether the first page has no control characters but line ends; the encoding does not matter. */
bool file_kind_is_text(struct bytes file);

/* Whether a file that is no ELF has an object's type (ET_REL) where an ELF header has it. nvlink
 * 13.0.88 takes it for an object, whatever its first bytes are, and refuses it (40 files of 8
 * formats), but skips such members of archives. */
bool has_type_of_object(struct bytes file);

/* Names a sign that a file of no known format once held device code; completes "it has ...". NULL
 * if there is no such sign, or if the file is text. */
const char *device_code_trace(struct bytes file);

#endif
