/* Checks that labels do not make the output too long. */
#ifndef WARPLD_TOOL_DECODE_LABEL_USES_H
#define WARPLD_TOOL_DECODE_LABEL_USES_H

#include <stdbool.h>

#include "tool/decode/subject.h"

/* Whether the text of all labels that a command can show is in proportion to the file: one label
 * for each reference to a section or symbol. In a damaged file, a million relocations can refer to
 * a symbol whose name has megabytes. Requires: the labels are set; they may still be plain names.
 */
bool label_uses_are_affordable(const struct subject *subject, enum label_use use);

#endif
