/* Examines bytes before they become an input; see warpld_examine in warpld.h. */
#ifndef WARPLD_LINK_IMAGE_EXAMINE_H
#define WARPLD_LINK_IMAGE_EXAMINE_H

#include "base/bytes.h"
#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "warpld.h"

/* Describes `data` in *examined. If `data` is a cubin that breaks no rule, keeps its view for
 * examined_view. */
void examine(link_context *link, struct bytes data, struct warpld_examined *examined);

/* Returns the view of the cubin that was examined last, if `data` is this cubin and it breaks no
 * rule. Otherwise returns NULL. */
const struct elf_view *examined_view(const link_context *link, struct bytes data);

#endif
