/* Writing the output. */
#ifndef WARPLD_LINK_WRITE_WRITE_OUTPUT_H
#define WARPLD_LINK_WRITE_WRITE_OUTPUT_H

#include "link/model/link_context.h"

/* Writes a deferred output to memory. */
void write_in_memory(link_context *link);

/* Returns false if an error was reported. */
bool write_to_file(link_context *link, struct file_sink *sink);

#endif
