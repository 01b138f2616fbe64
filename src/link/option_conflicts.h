/* Options of the caller that exclude each other. */
#ifndef WARPLD_LINK_OPTION_CONFLICTS_H
#define WARPLD_LINK_OPTION_CONFLICTS_H

#include <stdbool.h>

#include "base/diagnostic.h"
#include "warpld.h"

/* True after an error for each pair that is set. */
bool report_option_conflicts(const struct warpld_options *options, struct diagnostics *diagnostics);

#endif
