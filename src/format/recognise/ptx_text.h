/* Recognises PTX texts. */
#ifndef WARPLD_FORMAT_RECOGNISE_PTX_TEXT_H
#define WARPLD_FORMAT_RECOGNISE_PTX_TEXT_H

#include <stdbool.h>

#include "base/bytes.h"

/* PTX begins with its version; only spaces, comments and line markers, of any length, may precede
 * it. Reads no further than the version. */
bool is_ptx(struct bytes file);

/* Whether the file has the word ".version" where PTX has it, whatever follows the word. If the name
 * of such a file ends in .ptx, nvlink 13.0.88 leaves it to ptxas to refuse the file. */
bool begins_with_version(struct bytes file);

/* Whether a file that begins with these bytes can be PTX. That is so if the bytes contain the
 * version, or if they end within it or within the text that may precede it. */
bool may_be_ptx(struct bytes start);

#endif
