/* Recognises PTX texts. */
#ifndef WARPLD_FORMAT_RECOGNISE_PTX_TEXT_H
#define WARPLD_FORMAT_RECOGNISE_PTX_TEXT_H

#include <stdbool.h>

#include "base/bytes.h"

/* Returns true if the file is PTX: it begins with a .version directive, which only spaces, comments
 * and line markers precede. Does not read the text after the version number. */
bool is_ptx(struct bytes file);

/* Returns true if the file begins like PTX up to the word ".version". The text after this word is
 * not checked: nvlink 13.0.88 passes such a file to ptxas if its name ends in .ptx, and ptxas
 * reports any error. */
bool begins_with_version(struct bytes file);

/* Returns true if `start` can be the first bytes of PTX. That is the case if is_ptx(start) is true,
 * or if the bytes end before the end of the version number and are valid up to that point. */
bool may_be_ptx(struct bytes start);

#endif
