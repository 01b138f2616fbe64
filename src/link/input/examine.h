/* Examines bytes before they become an input; see warpld_examine in warpld.h. */
#ifndef WARPLD_LINK_INPUT_EXAMINE_H
#define WARPLD_LINK_INPUT_EXAMINE_H

#include "base/bytes.h"
#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "warpld.h"

/* Describes the bytes in *examined. Remembers the view of a cubin that breaks no rule, see
 * examined_view. */
void examine(link_context *link, struct bytes data, struct warpld_examined *examined);

/* If `data` is the cubin that was examined last, and it breaks no rule: its view. Otherwise NULL.
 */
const struct elf_view *examined_view(const link_context *link, struct bytes data);

#endif
