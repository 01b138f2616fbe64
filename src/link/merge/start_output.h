/* The sections that come before those of all objects. */
#ifndef WARPLD_LINK_MERGE_START_OUTPUT_H
#define WARPLD_LINK_MERGE_START_OUTPUT_H

#include "link/model/link_context.h"

/* Makes the sections that every output starts with. */
void output_start(struct warpld_link *link);

/* The file of --nv-host, behind .nv.compat and .nv.uidx. */
void output_add_host_data(struct warpld_link *link);

#endif
