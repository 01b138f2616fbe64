/* Makes the output sections that precede all sections made for the input objects. */
#ifndef WARPLD_LINK_MERGE_START_OUTPUT_H
#define WARPLD_LINK_MERGE_START_OUTPUT_H

#include "link/model/link_context.h"

/* Makes the sections that every output starts with. */
void output_start(struct warpld_link *link);

/* Makes .nv.host from the file of --nv-host, after .nv.compat and .nv.uidx. */
void output_add_host_data(struct warpld_link *link);

#endif
