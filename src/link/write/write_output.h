/* Makes the bytes of the output. */
#ifndef WARPLD_LINK_WRITE_WRITE_OUTPUT_H
#define WARPLD_LINK_WRITE_WRITE_OUTPUT_H

#include "link/model/link_context.h"

/* Makes an output that waited to be asked for. */
void write_in_memory(link_context *link);

/* False: an error was reported. */
bool write_to_file(link_context *link, struct file_sink *sink);

#endif
