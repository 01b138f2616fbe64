/* Reports options of the caller that exclude each other. */
#ifndef WARPLD_LINK_OPTION_CONFLICTS_H
#define WARPLD_LINK_OPTION_CONFLICTS_H

#include <stdbool.h>

#include "base/diagnostic.h"
#include "warpld.h"

/* Reports an error for each conflicting pair that is set; returns true if there is any. */
bool report_option_conflicts(const struct warpld_options *options, struct diagnostics *diagnostics);

#endif
